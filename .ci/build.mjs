// Bundles the program: `dist/cli.js` is small and loads what a command needs in chunks.
import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const root = new URL('..', import.meta.url).pathname
const outdir = process.env.GIT_PLAN_DIST ?? `${root}dist`
// gray-matter splits plan files, and plan/split.ts replaces each of its engines: without them the bundle has no second YAML parser to load, and no `eval`.
const withoutEngines = {
  name: 'without-engines',
  setup: ({ onLoad }) => onLoad({ filter: /gray-matter[/\\]lib[/\\]engines\.js$/ }, () => ({ contents: 'module.exports = {}' })),
}
// Each chunk costs a millisecond or two to load, so wire.ts loads one of two: the commands that read, or those that answer with an outcome. Which of
// them a command is in says nothing about what it does.
const wire = readFileSync(`${root}src/cli/wire.ts`, 'utf8')
const lazy = [...wire.matchAll(/^.*\bimport\('([^']+)'\).*$/gm)].map(([line, path]) => ({ path, group: line.includes('outcome') ? 'outcomes' : 'readers' }))
const inGroups = {
  name: 'in-groups',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ kind, importer, path }) => {
      const group = kind === 'dynamic-import' && importer.endsWith('cli/wire.ts') ? lazy.find((each) => each.path === path)?.group : undefined
      return group === undefined ? undefined : { path: group, namespace: 'group' }
    })
    onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => {
      const members = new Set(lazy.filter(({ group }) => group === path).map((each) => each.path))
      return { contents: [...members].map((member) => `export * from '${member}'`).join('\n'), resolveDir: `${root}src/cli` }
    })
  },
}
rmSync(outdir, { recursive: true, force: true })
await build({
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
  plugins: [withoutEngines, inGroups],
  logLevel: 'warning',
})
const { chmodSync, writeFileSync } = await import('node:fs')
const cli = `${outdir}/cli.js`
writeFileSync(cli, `#!/usr/bin/env node\n${readFileSync(cli, 'utf8')}`)
chmodSync(cli, 0o755)
