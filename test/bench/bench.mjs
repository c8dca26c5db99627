// The benchmarks: `npm run bench`. figures.mjs is the table of measurements; docs/performance.md describes the method.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { figuresOf, forms } from './figures.mjs'
import { help, readOptions } from './options.mjs'
import { cli, Place } from './place.mjs'
import { machineOf, warningsOf } from './report/machine.mjs'
import { figuresText, fillPage } from './report/page.mjs'
import { plotOf } from './report/plot.mjs'
import { tableOf } from './report/table.mjs'
import { runFigures } from './run-figures.mjs'
import { Interrupted } from './stops.mjs'

const began = performance.now()
const tell = (text) => process.stderr.write(`${Math.round((performance.now() - began) / 1000)} s ${text}\n`)

/** Verdicts after which the exit code is 1. */
const failures = ['over', 'refused']

/** Measures, and removes whatever it made, also after a mistake. */
function measureAll(options) {
  const form = options.short ? forms.short : forms.full
  const place = new Place()
  // With a listener Ctrl-C ends the program that is being measured, and this one goes on to clean up.
  process.on('SIGINT', () => undefined)
  try {
    const machine = machineOf(place)
    for (const warning of warningsOf(machine)) tell(`warning: ${warning}`)
    const version = place.plan(['--version']).output().trim().split(' ').at(-1)
    return {
      date: new Date().toISOString(),
      form: form.name,
      version,
      machine,
      ...runFigures({ form, only: options.only, place, tell }),
    }
  } finally {
    place.remove()
  }
}

/**
 * Everything that was measured, to where it was asked for. The page keeps nothing of a run in which something went
 * wrong.
 */
function write(report, { json, out }) {
  process.stdout.write(`${tableOf(report.figures)}\n`)
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`)
  if (out === undefined || report.figures.some(({ verdict }) => verdict === 'refused')) return
  writeFileSync(out, fillPage(readFileSync(out, 'utf8'), figuresText(report)))
  for (const plot of report.plots) writeFileSync(join(dirname(out), plot.file), plotOf(plot))
}

function main() {
  const options = readOptions(process.argv.slice(2), (form) => figuresOf(forms[form]).map(({ name }) => name))
  if (options.help) return process.stdout.write(help)
  if (!existsSync(cli)) throw new Error(`${cli} is not there; build it first: npm run build`)
  const report = measureAll(options)
  write(report, options)
  for (const { name, verdict, reason } of report.figures.filter((figure) => failures.includes(figure.verdict))) {
    process.stderr.write(`${name}: ${verdict}${reason === undefined ? '' : `: ${reason}`}\n`)
    process.exitCode = 1
  }
}

try {
  main()
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`)
  process.exitCode = error instanceof Interrupted ? 130 : 2
}
