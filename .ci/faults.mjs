// Every fault there is a test for, at full length, and a table of what was tried and found: `npm run test:faults`. Arguments are names of test files.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

const out = join(mkdtempSync(join(tmpdir(), 'git-plan-faults-')), 'figures')
const chosen = process.argv.slice(2)
const ran = spawnSync('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', ...(chosen.length > 0 ? chosen : ['test/faults'])], {
  stdio: 'inherit',
  env: {
    // Thousands of repositories that are thrown away need no disk.
    ...(existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {}),
    GIT_PLAN_WORKERS: String(availableParallelism()),
    ...process.env,
    GIT_PLAN_FAULTS: 'all',
    GIT_PLAN_FAULTS_OUT: out,
  },
})

const lines = existsSync(out) ? readFileSync(out, 'utf8').trimEnd().split('\n') : []
const sections = new Map()
for (const { section, row, columns } of lines.map((line) => JSON.parse(line))) sections.set(section, [...(sections.get(section) ?? []), { row, ...columns }])
for (const [section, rows] of sections) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const table = [columns.map((name) => (name === 'row' ? section : name)), ...rows.map((row) => columns.map((name) => String(row[name] ?? '')))]
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
const sum = (...names) => rows.reduce((total, row) => total + names.reduce((all, name) => all + (Number(row[name]) || 0), 0), 0)
const hunted = sections.get('mutants') ?? []
process.stdout.write(
  `\n${sum('swept', 'kills', 'injections', 'times')} injections, ${sum('violations', 'differences')} violations; ` +
    `${hunted.filter((row) => row.caught === 'yes').length} of ${hunted.length} mutants caught${ran.status === 0 ? '' : '; TESTS FAILED, see above'}\n`,
)
process.exitCode = ran.status ?? 1
