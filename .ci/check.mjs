// Runs every check that must pass before a change is merged. Each part is also a script of its own: `npm run NAME`.
import { spawnSync } from 'node:child_process'

const parts = [
  ['setup', 'what is missing is installed and built'],
  ['types', 'the compiler has no complaint'],
  ['lint', 'no likely bugs, and imports go one way'],
  ['format:check', 'the code is formatted'],
  ['dead', 'nothing is there that nothing uses'],
  ['package', 'what would be published is whole'],
  ['test', 'the program does what it should'],
  ['test:slow', 'and so after crashes, and in several clones'],
  ['test:wide', 'and so in every kind of repository'],
]

for (const [at, [name, what]] of parts.entries()) {
  console.log(`\n[${at + 1}/${parts.length}] ${name}: ${what}`)
  const started = performance.now()
  // The setup that the tests would run first was the first part.
  const { status, error } = spawnSync('npm', ['run', '--silent', '--ignore-scripts', name], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) {
    console.error(`\n${name} failed. Once more, alone: npm run ${name}`)
    process.exit(status ?? 1)
  }
  console.log(`${name}: ok, ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
console.log('\nAll of it holds.')
