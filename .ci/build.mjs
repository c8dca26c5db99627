// Bundles the program (`dist/cli.mjs`) and the library (`dist/index.mjs`). esbuild puts shared and dynamically imported
// code into `dist/chunks`, so that a command loads only the chunks that it needs.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeGrammars } from './grammars.mjs'
import { writeManual } from './man.mjs'
import { notices, packageNames } from './notices.mjs'
import { writePage } from './page.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const root = fileURLToPath(new URL('..', import.meta.url))
// `git plan hooks install` writes these scripts, so the bundle contains them.
const hooks = Object.fromEntries(
  readdirSync(`${root}hooks`).map((name) => [name, readFileSync(`${root}hooks/${name}`, 'utf8')]),
)
const outdir = process.env.GIT_PLAN_DIST ?? `${root}dist`
// src/plan/file/split.ts replaces every engine of gray-matter. Without them the bundle has no second YAML parser and no
// `eval`.
const withoutEngines = {
  name: 'without-engines',
  setup: ({ onLoad }) =>
    onLoad({ filter: /gray-matter[/\\]lib[/\\]engines\.js$/ }, () => ({ contents: 'module.exports = {}' })),
}
// secretlint profiles and logs: each text would leave dozens of marks in memory, and the logger reads the environment.
const withoutMeasuring = {
  name: 'without-measuring',
  setup: ({ onLoad, onResolve }) => {
    // Other packages that use `debug` keep it.
    onResolve({ filter: /^debug$/ }, ({ path, importer }) =>
      /@secretlint[/\\]/.test(importer) ? { path, namespace: 'silent' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'silent' }, () => ({ contents: 'export default () => () => {}' }))
    onLoad({ filter: /@secretlint[/\\]profiler[/\\]module[/\\]node\.js$/ }, () => ({
      contents: 'export const secretLintProfiler = { mark() {} }',
    }))
  },
}
// Parts of prom-client that measure and push for a server would load the HTTP modules of Node.
const withoutServer = {
  name: 'without-server',
  setup: ({ onLoad }) =>
    onLoad({ filter: /prom-client[/\\]lib[/\\](pushgateway|cluster|defaultMetrics)\.js$/ }, () => ({ contents: '' })),
}
// The server of the Model Context Protocol would validate answers of clients with ajv, which compiles code. It asks them
// nothing.
const withoutAjv = {
  name: 'without-ajv',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/ }, () => ({
      contents: "export { default as process } from 'node:process'\nexport class DefaultJsonSchemaValidator {}",
    })),
}
// That server needs most of zod, the other commands a part. Without a copy of its own they would load its part too, since
// esbuild puts each file into one chunk.
const zodOfMcp = {
  name: 'zod-of-mcp',
  setup: ({ onLoad, onResolve, resolve }) => {
    onResolve({ filter: /^(zod(\/|$)|\.)/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      const isMcp = path.startsWith('zod') && /@modelcontextprotocol[/\\]|[/\\]adapters[/\\]mcp[/\\]/.test(importer)
      if (pluginData === 'found' || (pluginData !== 'mcp' && !isMcp)) return undefined
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: 'found' })
      return { path: found.path, suffix: '?mcp', sideEffects: found.sideEffects }
    })
    onLoad({ filter: /[/\\]zod[/\\].*\.js$/ }, ({ path, suffix }) =>
      suffix === '?mcp' ? { contents: readFileSync(path, 'utf8'), pluginData: 'mcp' } : undefined,
    )
  },
}
// The other names are from builds of earlier versions.
const isBuild = ['cli.mjs', 'cli.cjs', 'cli.js'].some((name) => existsSync(`${outdir}/${name}`))
if (existsSync(outdir) && readdirSync(outdir).length > 0 && !isBuild)
  throw new Error(`${outdir} is not an earlier build: it is left alone`)
rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  // The last entry is also a chunk of its own, for the package test and for syntax-corpus.mjs.
  entryPoints: {
    cli: 'src/adapters/cli/entry.ts',
    index: 'src/index.ts',
    acp: 'src/adapters/acp/client.ts',
    'chunks/syntax': 'src/judge/syntax/syntax.ts',
  },
  chunkNames: 'chunks/[name]-[hash]',
  outdir,
  // `.mjs` makes them modules wherever the bundle is copied, even without a package.json.
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // Used if they are installed: for traces, and by those who use a server for their fleets.
  external: ['@opentelemetry/sdk-node', 'bullmq', 'ioredis', 'pg'],
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // CommonJS packages load Node modules with `require`, which modules do not have.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  // For Node, these export CommonJS, which esbuild cannot tree-shake or, with requires at run time, not bundle; this is
  // the same code as modules.
  alias: {
    yaml: `${root}node_modules/yaml/browser/index.js`,
    'jsonc-parser': `${root}node_modules/jsonc-parser/lib/esm/main.js`,
  },
  // Names are kept for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  define: {
    GIT_PLAN_VERSION: JSON.stringify(version),
    GIT_PLAN_HOOKS: JSON.stringify(JSON.stringify(hooks)),
  },
  metafile: true,
  plugins: [withoutEngines, withoutMeasuring, withoutServer, withoutAjv, zodOfMcp],
  logLevel: 'warning',
})
await writeManual(`${outdir}/man`, version)
const grammarPackages = await writeGrammars(`${outdir}/grammars`, root)
const pagePackages = packageNames(await writePage(`${outdir}/ui`, root))
writeFileSync(`${outdir}/THIRD-PARTY-NOTICES.txt`, notices(metafile, root, [...grammarPackages, ...pagePackages]))
