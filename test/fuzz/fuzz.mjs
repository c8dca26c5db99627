// The readers of plans and configurations, given what nobody would write: `npm run test:fuzz`. `-- --plans N --seed N
// --jobs N`.
import { parseArgs } from 'node:util'
import { fuzz, maxMegabytes, summed } from './run-fuzz.mjs'

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
  },
})
const [plans, seed, jobs] = [values.plans, values.seed, values.jobs].map(Number)
const began = Date.now()
const { shares, broken } = await fuzz({ plans, seed, jobs, onShare: () => process.stderr.write('.') })
const { judged, rules, slowest, grownMegabytes, peakMegabytes } = summed(shares)

const rows = [
  ['inputs', 'number', 'KB', 'accepted', 'refused'],
  ...Object.entries(judged).map(([kind, { accepted, refused, bytes }]) => [
    kind,
    accepted + refused,
    Math.round(bytes / 1024),
    accepted,
    refused,
  ]),
]
const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)))
const table = rows.map((row) =>
  row.map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at]) : String(cell).padStart(widths[at]))).join('  '),
)
const byRule = Object.entries(rules).toSorted(([, one], [, other]) => other - one)
process.stdout.write(
  `\n${table.join('\n')}\n\nrefused by rule\n${byRule.map(([rule, count]) => `${String(count).padStart(8)}  ${rule}`).join('\n')}\n\n` +
    `seed ${seed}, ${jobs} processes at a time, ${Math.round((Date.now() - began) / 1000)} s\n` +
    `slowest: ${Math.round(slowest.ms)} ms of processor time (at most 1000), input ${slowest.n}\n` +
    `memory: ${Math.round(grownMegabytes)} MB above a process that has read one plan (at most ${maxMegabytes}); ${Math.round(peakMegabytes)} MB in all\n`,
)
for (const { n, kind, promise, message, base64 } of broken) {
  const bytes = Buffer.from(base64, 'base64')
  const text = bytes.toString()
  process.stdout.write(
    `\nBROKEN: ${promise}, by input ${n} (${kind}) of seed ${seed}\n  ${message}\n  ${bytes.length} bytes: ${JSON.stringify(text.length > 4000 ? `${text.slice(0, 4000)}…` : text)}\n` +
      (Buffer.from(text).equals(bytes) ? '' : `  base64 ${base64.slice(0, 8000)}\n`),
  )
}
const isTooLarge = grownMegabytes > maxMegabytes
if (isTooLarge) process.stdout.write(`\nBROKEN: memory, ${Math.round(grownMegabytes)} MB\n`)
process.exitCode = broken.length > 0 || isTooLarge ? 1 : 0
