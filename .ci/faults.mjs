// Every fault there is a test for, at full length, and a table of what was tried and found: `npm run test:faults`. Arguments are names of test files.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const out = join(mkdtempSync(join(tmpdir(), 'git-plan-faults-')), 'figures')
const chosen = process.argv.slice(2)
const ran = spawnSync('npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', ...(chosen.length > 0 ? chosen : ['test/faults'])], {
  stdio: 'inherit',
  env: { ...process.env, GIT_PLAN_TESTS: 'faults', GIT_PLAN_FAULTS: 'all', GIT_PLAN_FAULTS_OUT: out },
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
process.exitCode = ran.status ?? 1
