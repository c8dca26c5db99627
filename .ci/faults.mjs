// Runs every fault test at full length and prints a table of the results: `npm run test:faults`. Arguments are names of
// test files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, readdirSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** Longest first, so that no processor is idle at the end. */
const long = ['kills', 'start', 'resume', 'cancel', 'rollback', 'recovery', 'machine', 'finish', 'mutants', 'load'].map(
  (name) => `${name}.test.ts`,
)
const every = () => readdirSync('test/faults', { recursive: true }).map((name) => join('test/faults', name))
const files = process.argv.length > 2 ? process.argv.slice(2) : every().filter((path) => path.endsWith('.test.ts'))
const rank = (path) => (long.includes(basename(path)) ? long.indexOf(basename(path)) : long.length)
const queue = files.toSorted((one, other) => rank(one) - rank(other))

const directory = mkdtempSync(join(tmpdir(), 'git-plan-faults-'))
const out = join(directory, 'figures')
const env = {
  // Thousands of temporary repositories need no disk.
  ...(existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {}),
  ...process.env,
  GIT_PLAN_WORKERS: '1',
  GIT_PLAN_FAULTS: 'all',
  GIT_PLAN_FAULTS_OUT: out,
}
const failed = []

/** Runs one file after the other, and prints the output of each when it has finished. */
async function lane() {
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const name = basename(path)
    const log = join(directory, `${name}.log`)
    const began = Date.now()
    const said = openSync(log, 'w')
    const [code] = await once(
      spawn('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', path], {
        stdio: ['ignore', said, said],
        env,
      }),
      'close',
    )
    process.stdout.write(
      `${code === 0 ? 'ok    ' : 'FAILED'} ${name}, ${Math.round((Date.now() - began) / 1000)} s${code === 0 ? '' : `\n${readFileSync(log, 'utf8')}`}\n`,
    )
    if (code !== 0) failed.push(name)
  }
}
process.stdout.write(`${queue.length} files; what they are at is in ${directory}\n`)
await Promise.all(Array.from({ length: Number(process.env.GIT_PLAN_WORKERS ?? availableParallelism()) }, lane))

const lines = existsSync(out) ? readFileSync(out, 'utf8').trimEnd().split('\n') : []
const sections = new Map()
for (const { section, row, columns } of lines.map((line) => JSON.parse(line)))
  sections.set(section, [...(sections.get(section) ?? []), { row, ...columns }])
for (const [section, rows] of sections) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const table = [
    columns.map((name) => (name === 'row' ? section : name)),
    ...rows.map((row) => columns.map((name) => String(row[name] ?? ''))),
  ]
  const widths = columns.map((_, at) => Math.max(...table.map((cells) => cells[at].length)))
  const isNumber = (cell) => /^[\d.,]+( %)?$/.test(cell)
  process.stdout.write(
    `\n${table
      .map((cells) =>
        cells
          .map((cell, at) => (isNumber(cell) ? cell.padStart(widths[at]) : cell.padEnd(widths[at])))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')}\n`,
  )
}
const rows = [...sections.values()].flat()
const sum = (...names) =>
  rows.reduce((total, row) => total + names.reduce((all, name) => all + (Number(row[name]) || 0), 0), 0)
const hunted = sections.get('mutants') ?? []
process.stdout.write(
  `\n${sum('swept', 'kills', 'injections', 'times')} injections, ${sum('violations', 'differences')} violations; ` +
    `${hunted.filter((row) => row.caught === 'yes').length} of ${hunted.length} mutants caught${failed.length === 0 ? '' : `; FAILED: ${failed.join(', ')}, see above`}\n`,
)
process.exitCode = failed.length === 0 ? 0 : 1
