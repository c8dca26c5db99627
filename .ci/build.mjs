// Bundles the program, `dist/cli.cjs`, and the library, `dist/index.js`. What they lead to is in `dist/chunks`, in packs and single chunks, and a command loads what it needs of it.
// All of it is CommonJS: Node takes less time for a file that is required than for one that is imported.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { asFile, asPack, lazily } from './chunk-text.mjs'
import { writeGrammars } from './grammars.mjs'
import { writeManual } from './man.mjs'
import { notices } from './notices.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const root = fileURLToPath(new URL('..', import.meta.url))
// `git plan hooks install` writes them: a bundle has them, wherever it is.
const hooks = Object.fromEntries(readdirSync(`${root}hooks`).map((name) => [name, readFileSync(`${root}hooks/${name}`, 'utf8')]))
const outdir = process.env.GIT_PLAN_DIST ?? `${root}dist`
// gray-matter splits plan files, and plan/split.ts replaces each of its engines: without them the bundle has no second YAML parser to load, and no `eval`.
const withoutEngines = {
  name: 'without-engines',
  setup: ({ onLoad }) => onLoad({ filter: /gray-matter[/\\]lib[/\\]engines\.js$/ }, () => ({ contents: 'module.exports = {}' })),
}
// secretlint measures and logs what it does: each text that is looked at would leave dozens of marks in memory, and the logger reads the environment.
const withoutMeasuring = {
  name: 'without-measuring',
  setup: ({ onLoad, onResolve }) => {
    // Others, who log by the same package, keep theirs.
    onResolve({ filter: /^debug$/ }, ({ path, importer }) => (/@secretlint[/\\]/.test(importer) ? { path, namespace: 'silent' } : undefined))
    onLoad({ filter: /.*/, namespace: 'silent' }, () => ({ contents: 'export default () => () => {}' }))
    onLoad({ filter: /@secretlint[/\\]profiler[/\\]module[/\\]node\.js$/ }, () => ({ contents: 'export const secretLintProfiler = { mark() {} }' }))
  },
}
// The second name is that of a build from before there was the first.
const isBuild = ['cli.cjs', 'cli.js'].some((name) => existsSync(`${outdir}/${name}`))
if (existsSync(outdir) && readdirSync(outdir).length > 0 && !isBuild) throw new Error(`${outdir} is no earlier build: it is left alone`)
rmSync(outdir, { recursive: true, force: true })
const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  // The last one by itself, too, for the test of what is published; what uses it imports it with `import()`, where it is needed.
  entryPoints: { cli: 'src/cli/entry.ts', 'chunks/library': 'src/index.ts', 'chunks/syntax': 'src/syntax/syntax.ts' },
  chunkNames: 'chunks/[name]-[hash]',
  outdir,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // What Node is given of it is CommonJS in a hundred files; this is the same as modules, of which only what is used is taken.
  alias: {
    yaml: `${root}node_modules/yaml/browser/index.js`,
    // The other way round: as a module it asks for its own address, which a chunk that becomes CommonJS does not have.
    'web-tree-sitter': `${root}node_modules/web-tree-sitter/web-tree-sitter.cjs`,
  },
  // Names stay, for the stack of a bug. With `keepNames` they would be put back one by one on every start.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  define: {
    GIT_PLAN_VERSION: JSON.stringify(version),
    GIT_PLAN_HOOKS: JSON.stringify(JSON.stringify(hooks)),
  },
  metafile: true,
  write: false,
  plugins: [withoutEngines, withoutMeasuring],
  logLevel: 'warning',
})
const chunks = new Map()
for (const { path, text } of outputFiles) {
  // esbuild splits modules only, so each chunk is turned by itself. An `import()` becomes a `require` that is a promise.
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    logLevel: 'warning',
  })
  chunks.set(basename(path), lazily(code))
}

/** What a chunk needs, and what that needs: all that is imported, but not `import()`. */
const imports = new Map(
  Object.entries(metafile.outputs).map(([path, { imports }]) => [
    basename(path),
    imports.filter(({ kind }) => kind === 'import-statement').map((each) => basename(each.path)),
  ]),
)
const within = (name, seen = new Set()) => {
  if (!chunks.has(name) || seen.has(name)) return seen
  seen.add(name)
  for (const each of imports.get(name)) within(each, seen)
  return seen
}
const madeOf = (source) => basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source)[0])
/** To find a file and begin with it takes half a millisecond, whatever is in it. What a command needs is in three of them at most, each chunk a function that is called at its first use. */
const packs = {
  start: ['src/cli/process.ts'],
  reading: ['src/commands/reading.ts', 'src/cli/print/reading.ts'],
  changing: ['src/commands/changing.ts', 'src/cli/print/outcome.ts'],
}
/** Packages stay files of their own: most commands do without. */
const isOwn = (name) => {
  const { inputs } = Object.entries(metafile.outputs).find(([path]) => basename(path) === name)[1]
  return !Object.keys(inputs).some((path) => path.includes('node_modules/') && inputs[path].bytesInOutput > 10_000)
}
const packOf = new Map()
for (const [pack, sources] of Object.entries(packs))
  for (const name of sources.flatMap((source) => [...within(madeOf(source))])) if (!packOf.has(name) && isOwn(name)) packOf.set(name, pack)
/** In the names of the packs, and of each other's: it is known when they are written. */
const stampHere = '@stamp@'
/** A chunk that asks packs for what is in them; `own` is the pack that it is in itself. What comes out of a pack needs no wrapping. */
const linked = ({ code, loads }, own) => {
  const link = (text) =>
    text.replace(/(__toESM\()?require\("\.\/((?:chunks\/)?)([\w-]+\.cjs)"\)(\))?/g, (whole, wrapping, folder, name, end) => {
      const pack = packOf.get(name)
      if (pack === undefined) return whole
      const load = `${pack === own ? 'load' : `require("./${folder}${pack}-${stampHere}.cjs")`}("${name}")`
      return wrapping === undefined ? `${load}${end ?? ''}` : load
    })
  return { code: link(code), loads: new Map([...loads].map(([name, load]) => [name, link(load)])) }
}
const packTexts = Object.keys(packs).map((pack) => {
  const parts = [...chunks].filter(([name]) => packOf.get(name) === pack).map(([name, chunk]) => [name, linked(chunk, pack)])
  return { pack, text: asPack(parts) }
})
/** What was compiled is kept under the names of the packs: of all that is in them. */
const stamp = createHash('sha256').update(JSON.stringify(packTexts)).digest('hex').slice(0, 16)
const stamped = (text) => text.replaceAll(stampHere, stamp)
mkdirSync(`${outdir}/chunks`, { recursive: true })
for (const { pack, text } of packTexts) writeFileSync(`${outdir}/chunks/${pack}-${stamp}.cjs`, stamped(text))
for (const [name, chunk] of chunks) {
  const text = stamped(asFile(linked(chunk)))
  if (name === 'cli.cjs') writeFileSync(`${outdir}/${name}`, `#!/usr/bin/env node\n${text}`, { mode: 0o755 })
  else if (!packOf.has(name)) writeFileSync(`${outdir}/chunks/${name}`, text)
}
writeFileSync(`${outdir}/index.js`, "export * from './chunks/library.cjs'\n")
await writeManual(`${outdir}/man`, version)
const grammarPackages = await writeGrammars(`${outdir}/grammars`, root)
writeFileSync(`${outdir}/THIRD-PARTY-NOTICES.txt`, notices(metafile, root, grammarPackages))
