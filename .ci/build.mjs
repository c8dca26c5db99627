// Bundles the program: `dist/cli.js` is small and loads what a command needs in chunks.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeManual } from './man.mjs'
import { notices } from './notices.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const root = fileURLToPath(new URL('..', import.meta.url))
const outdir = process.env.GIT_PLAN_DIST ?? `${root}dist`
// gray-matter splits plan files, and plan/split.ts replaces each of its engines: without them the bundle has no second YAML parser to load, and no `eval`.
const withoutEngines = {
  name: 'without-engines',
  setup: ({ onLoad }) => onLoad({ filter: /gray-matter[/\\]lib[/\\]engines\.js$/ }, () => ({ contents: 'module.exports = {}' })),
}
if (existsSync(outdir) && readdirSync(outdir).length > 0 && !existsSync(`${outdir}/cli.js`)) throw new Error(`${outdir} is no earlier build: it is left alone`)
rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Names stay, for the stack of a bug. With `keepNames` they would be put back one by one on every start.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  chunkNames: 'chunks/[name]-[hash]',
  define: { GIT_PLAN_VERSION: JSON.stringify(version) },
  banner: { js: "import{createRequire as gitPlanRequire}from'node:module';const require=gitPlanRequire(import.meta.url);" },
  metafile: true,
  plugins: [withoutEngines],
  logLevel: 'warning',
})
const cli = `${outdir}/cli.js`
writeFileSync(cli, `#!/usr/bin/env node\n${readFileSync(cli, 'utf8')}`)
chmodSync(cli, 0o755)
await writeManual(`${outdir}/man`, version)
writeFileSync(`${outdir}/THIRD-PARTY-NOTICES.txt`, notices(metafile, root))
