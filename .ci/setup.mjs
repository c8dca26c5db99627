// Prepares a fresh clone: installs the dependencies and builds. Skips what is up to date.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`git-plan needs Node 20.19 or newer; this is ${process.version}`)
  process.exit(1)
}
const marker = join(root, 'node_modules', '.package-lock.json')
const isInstalled = existsSync(marker) && statSync(marker).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
// Without scripts: they would only compile unused parts of packages.
// In this directory, even as part of `npm install --global`, whose settings npm passes on.
const here = ['--global=false', '--prefix', root]
if (!isInstalled)
  execFileSync('npm', ['ci', '--ignore-scripts', '--loglevel=error', ...here], { cwd: root, stdio: 'inherit' })

const newest = (path) =>
  statSync(path).isDirectory()
    ? Math.max(statSync(path).mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs
const bundle = join(process.env.GIT_PLAN_DIST ?? join(root, 'dist'), 'cli.mjs')
const sources = Math.max(
  newest(join(root, 'src')),
  newest(join(root, 'package.json')),
  newest(join(root, '.ci')),
  newest(join(root, 'hooks')),
)
if (!existsSync(bundle) || statSync(bundle).mtimeMs < sources) await import('./build.mjs')
