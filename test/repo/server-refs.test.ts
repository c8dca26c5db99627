// The refs of a server, asked in this process, and when Git has to be asked.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { gitAt } from '../../src/fleet/control.ts'
import { openServerRefs } from '../../src/fleet/server-refs.ts'
import { GitServer } from '../helpers/git-server.ts'
import { test } from '../helpers/repo.ts'

const names = ['refs/heads/plan/p', 'refs/plan/p/final']

test('the refs with these names, and no others', async ({ repo }) => {
  const server = await GitServer.beside(repo)
  try {
    repo.git(['push', '-q', server.dir, 'HEAD:main', 'HEAD:plan/p', 'HEAD:plan/p2', 'HEAD:refs/plan/p/final'])
    const ask = await openServerRefs(gitAt(repo.dir, repo.env), repo.env)
    const { 'refs/heads/main': _main, 'refs/heads/plan/p2': _other, ...wanted } = server.refs()
    expect(Object.keys(wanted)).toEqual(names)
    expect(Object.fromEntries((await ask(server.url, names)) ?? [])).toEqual(wanted)
    expect(await ask(server.url.replace('project', 'gone'), names)).toBeUndefined()
    expect(await ask(server.url, ['refs/heads/plan/none'])).toEqual(new Map())
    // A setting that Git would apply to the address, a proxy, or another protocol: Git is asked.
    expect(await ask(server.dir, names)).toBeUndefined()
    const proxied = { ...repo.env, HTTPS_PROXY: 'http://proxy' }
    expect(await (await openServerRefs(gitAt(repo.dir, proxied), proxied))(server.url, names)).toBeUndefined()
    repo.git(['config', 'url.https://elsewhere/.insteadOf', 'http://'])
    expect(await (await openServerRefs(gitAt(repo.dir, repo.env), repo.env))(server.url, names)).toBeUndefined()
  } finally {
    server.close()
  }
})

test('a server that wants credentials is asked once', async ({ repo }) => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const ask = await openServerRefs(gitAt(repo.dir, repo.env), repo.env)
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const name of ['a', 'b']) expect(await ask(`${origin}/${name}.git`, names)).toBeUndefined()
    expect(asked).toBe(1)
  } finally {
    server.close()
  }
})
