// Bundles the program, `dist/cli.mjs`, and the library, `dist/index.mjs`. esbuild puts what they share, and what is
// imported by `import()`, into `dist/chunks`: a command loads only the chunks that it needs.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeGrammars } from './grammars.mjs'
import { writeManual } from './man.mjs'
import { notices } from './notices.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const root = fileURLToPath(new URL('..', import.meta.url))
// `git plan hooks install` writes them: a bundle has them, wherever it is.
const hooks = Object.fromEntries(
  readdirSync(`${root}hooks`).map((name) => [name, readFileSync(`${root}hooks/${name}`, 'utf8')]),
)
const outdir = process.env.GIT_PLAN_DIST ?? `${root}dist`
// plan/split.ts replaces every engine of gray-matter: without them the bundle has no second YAML parser and no `eval`.
const withoutEngines = {
  name: 'without-engines',
  setup: ({ onLoad }) =>
    onLoad({ filter: /gray-matter[/\\]lib[/\\]engines\.js$/ }, () => ({ contents: 'module.exports = {}' })),
}
// secretlint profiles and logs: each text would leave dozens of marks in memory, and the logger reads the environment.
const withoutMeasuring = {
  name: 'without-measuring',
  setup: ({ onLoad, onResolve }) => {
    // Other packages that log with `debug` keep it.
    onResolve({ filter: /^debug$/ }, ({ path, importer }) =>
      /@secretlint[/\\]/.test(importer) ? { path, namespace: 'silent' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'silent' }, () => ({ contents: 'export default () => () => {}' }))
    onLoad({ filter: /@secretlint[/\\]profiler[/\\]module[/\\]node\.js$/ }, () => ({
      contents: 'export const secretLintProfiler = { mark() {} }',
    }))
  },
}
// The other names are those of builds by earlier versions.
const isBuild = ['cli.mjs', 'cli.cjs', 'cli.js'].some((name) => existsSync(`${outdir}/${name}`))
if (existsSync(outdir) && readdirSync(outdir).length > 0 && !isBuild)
  throw new Error(`${outdir} is not an earlier build: it is left alone`)
rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  // The last one on its own as well, for the test of the package and for syntax-corpus.mjs.
  entryPoints: {
    cli: 'src/adapters/cli/entry.ts',
    index: 'src/index.ts',
    'chunks/syntax': 'src/judge/syntax/syntax.ts',
  },
  chunkNames: 'chunks/[name]-[hash]',
  outdir,
  // Modules wherever the bundle is copied to, also where no package.json says so.
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Packages that are CommonJS ask for modules of Node with `require`, which a module does not have.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  // For Node yaml exports CommonJS, which esbuild cannot shake; this is the same code as modules.
  alias: { yaml: `${root}node_modules/yaml/browser/index.js` },
  // Names stay, for the stack of a bug.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  define: {
    GIT_PLAN_VERSION: JSON.stringify(version),
    GIT_PLAN_HOOKS: JSON.stringify(JSON.stringify(hooks)),
  },
  metafile: true,
  plugins: [withoutEngines, withoutMeasuring],
  logLevel: 'warning',
})
await writeManual(`${outdir}/man`, version)
const grammarPackages = await writeGrammars(`${outdir}/grammars`, root)
writeFileSync(`${outdir}/THIRD-PARTY-NOTICES.txt`, notices(metafile, root, grammarPackages))
