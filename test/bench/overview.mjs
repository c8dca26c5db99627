// How long the tips of many repositories take over HTTP: `node test/bench/overview.mjs`. A process of `git ls-remote` per
// repository, and `listServerRefs` of isomorphic-git in this process as src/fleet/server-refs.ts asks it, 8 at the same time, against a server on loopback. It
// repeats the answers of `git http-backend`, after --latency milliseconds: the server is another machine.

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { Place } from './place.mjs'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string', default: '200' },
    latency: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '3' },
  },
})
const wide = 8
const refs = ['refs/heads/plan/p', 'refs/plan/p/final']
const place = new Place()

function git(args) {
  const { status, stderr } = spawnSync('git', args, { cwd: place.top, env: place.env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
}

const seed = join(place.top, 'seed.git')
git(['init', '-q', seed])
git(['-C', seed, 'commit', '-q', '--allow-empty', '-m', 'First'])
for (const ref of refs) git(['-C', seed, 'update-ref', ref, 'HEAD'])
const names = Array.from({ length: Number(values.repositories) }, (_, at) => `r${at}.git`)
for (const name of names) cpSync(seed, join(place.top, name), { recursive: true })

/** All repositories have the same refs. */
const known = new Map()
const server = createServer((request, response) => void answer(request, response))
async function answer(request, response) {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts)
  const question = `${request.method} ${request.url.replace(/r\d+/, '')} ${body.toString('latin1')}`
  if (!known.has(question)) known.set(question, ask(request, body))
  const told = await known.get(question)
  setTimeout(() => reply(told, response), Number(values.latency))
}
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`

function ask(request, body) {
  const { pathname, search } = new URL(request.url, 'http://server')
  const child = spawn('git', ['http-backend'], {
    env: {
      ...place.env,
      GIT_PROJECT_ROOT: place.top,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REMOTE_ADDR: '127.0.0.1',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end(body)
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  return new Promise((resolve) => child.on('close', () => resolve(Buffer.concat(chunks))))
}

function reply(answer, response) {
  const end = answer.indexOf('\r\n\r\n')
  const headers = answer.subarray(0, end).toString('latin1').split('\r\n')
  response.writeHead(
    200,
    headers.flatMap((line) => line.split(': ')),
  )
  response.end(answer.subarray(end + 4))
}

function lsRemote(url) {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['ls-remote', url, ...refs], { env: place.env, stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.on('close', () => (text.split('\n').length === 3 ? resolve() : reject(new Error(text))))
  })
}

const outfile = join(place.top, 'server-refs.cjs')
const entry = new URL('../../src/fleet/server-refs.ts', import.meta.url).pathname
await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' })
const { openServerRefs } = createRequire(import.meta.url)(outfile)
const askServer = await openServerRefs({ run: () => ({ code: 1 }) }, place.env)

async function inProcess(url) {
  if ((await askServer(url, refs))?.size !== refs.length) throw new Error(`no refs in ${url}`)
}

async function measure(read) {
  const left = names.map((name) => `${origin}/${name}`)
  const begun = performance.now()
  const reader = async () => {
    for (let url = left.pop(); url !== undefined; url = left.pop()) await read(url)
  }
  await Promise.all(Array.from({ length: wide }, reader))
  return (performance.now() - begun) / 1000
}

try {
  for (let round = 1; round <= Number(values.rounds); round++) {
    const [git, here] = [await measure(lsRemote), await measure(inProcess)]
    console.log(`${names.length} repositories: git ls-remote ${git.toFixed(1)} s, listServerRefs ${here.toFixed(1)} s`)
  }
} finally {
  server.closeAllConnections()
  server.close()
  rmSync(place.top, { recursive: true, force: true })
}
