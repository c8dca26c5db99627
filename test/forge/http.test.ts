// Everything that can go wrong between us and a forge. None of it is an approval, none of it shows the token, and each
// error says what to do.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PlanError } from '../../src/errors.ts'
import { openForge, type Forge, type ForgeOptions } from '../../src/remote/forge/forge.ts'
import { GitHubServer, token } from './servers/github-server.ts'
import { oid, type Asked, type Reply } from './servers/loopback.ts'

let server: GitHubServer
/** Time for an answer, where there is to be one: the machine may be busy. */
const limits = { timeoutMs: 10_000, tries: 3, backOffMs: 5, patienceMs: 3000, bodyBytes: 100_000 }
const open = (options: Partial<ForgeOptions> = {}): Promise<Forge> =>
  openForge(
    { kind: 'github', host: server.http.host, owner: 'acme', name: 'widgets', api: server.http.api },
    { token, limits, ...options },
  )

beforeEach(async () => {
  server = await GitHubServer.start()
  server.pull(7, { draft: false })
  server.review('bob', 'APPROVED')
})
afterEach(() => server.http.close())

async function problem(asked: Promise<unknown>): Promise<PlanError> {
  const error = await asked.then(
    () => expect.fail('it was answered'),
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(PlanError)
  const all = inspect(error, { depth: 20, showHidden: true })
  expect(all).not.toContain(token)
  expect(all).not.toContain(Buffer.from(token).toString('base64').slice(0, 20))
  return error as PlanError
}

const reviews = async (options?: Partial<ForgeOptions>): Promise<unknown> => (await open(options)).reviews(7)
const always = (reply: Reply | ((asked: Asked) => Reply)): void => server.http.fault(reply, { times: 1000 })

describe('answers that say no', () => {
  test('401: no token, and where one is looked for', async () => {
    const error = await problem(reviews({ token: undefined }))
    expect(error).toMatchObject({ code: 'forge', exitCode: 3, facts: { status: 401, host: server.http.host } })
    expect(error.message).toContain('none was found')
    expect(error.hint).toMatch(
      /repo and read:org.*GIT_PLAN_TOKEN_127_0_0_1_\d+, store it with Git's credential helper.*gh auth login/,
    )
  })

  test('401: a token that is not accepted', async () => {
    const error = await problem(reviews({ token: 'expired' }))
    expect(error.message).toMatch(/does not accept the token: Bad credentials/)
    expect(server.http.asked).toHaveLength(1)
  })

  test('403: what the token may not do', async () => {
    always({ status: 403, json: { message: 'Resource not accessible by personal access token' } })
    const error = await problem(reviews())
    expect(error).toMatchObject({
      facts: { status: 403 },
      message: expect.stringContaining('Resource not accessible') as string,
    })
    expect(error.hint).toContain('repo and read:org')
    expect(server.http.asked).toHaveLength(1)
  })

  test('404: no such repository, or no access to it', async () => {
    always({ status: 404, json: { message: 'Not Found' } })
    const error = await problem(reviews())
    expect(error.message).toMatch(/acme\/widgets does not exist, or the token has no access/)
    expect(error.hint).toContain('git remote -v')
  })

  test('a forge that repeats the token, or writes to the terminal, is not quoted with it', async () => {
    always({ status: 403, json: { message: `no access with ${token} \u001b[2J\u0007 \u202e end` } })
    const error = await problem(reviews())
    expect(error.message).toContain('no access with [secret]')
    expect(error.message).not.toMatch(/[\u0000-\u001f\u202e]/)
  })

  test('a token that no header could hold is not sent, and not shown', async () => {
    const wrong = 'ghp_with\na line break'
    const error = await problem(open({ token: wrong }))
    expect(inspect(error)).not.toContain('ghp_with')
    expect(server.http.asked).toHaveLength(0)
  })
})

describe('limits on requests', () => {
  const now = new Date('2026-06-01T12:00:00Z')
  const seconds = (time: string): string => String(Date.parse(time) / 1000)

  test('one that ends soon is waited for, for whatever was asked', async () => {
    server.http.fault({ status: 429, headers: { 'retry-after': '0' }, json: { message: 'slow down' } })
    expect(await reviews()).toHaveLength(1)
    server.http.fault({
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': seconds('2026-06-01T11:59:59Z') },
      json: { message: 'API rate limit exceeded' },
    })
    const forge = await open({ clock: () => now })
    await forge.status(oid('a'), { state: 'success', context: 'c', description: 'd' })
    expect(server.state.statuses).toHaveLength(1)
  })

  test('one that ends later is an error that says when', async () => {
    always({
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': seconds('2026-06-01T12:40:00Z') },
      json: { message: 'API rate limit exceeded' },
    })
    const error = await problem(reviews({ clock: () => now }))
    expect(error.message).toContain('until 2026-06-01T12:40:00.000Z')
    expect(error).toMatchObject({
      hint: 'try again after 2026-06-01T12:40:00.000Z',
      facts: { status: 403, until: '2026-06-01T12:40:00.000Z' },
    })
    expect(server.http.asked).toHaveLength(1)
  })

  test.each<[string, Reply]>([
    ['of 429 with a date', { status: 429, headers: { 'retry-after': 'Mon, 01 Jun 2026 13:00:00 GMT' } }],
    ['of seconds without end', { status: 429, headers: { 'retry-after': '999999999' } }],
    [
      'of the second kind, without a time',
      { status: 403, json: { message: 'You have exceeded a secondary rate limit.' } },
    ],
    ['of 403 with seconds', { status: 403, headers: { 'retry-after': '120' }, json: { message: 'wait' } }],
  ])('%s', async (_, reply) => {
    always(reply)
    const error = await problem(reviews({ clock: () => now }))
    expect(error.message).toContain('accepts no more requests')
    expect(server.http.asked).toHaveLength(1)
  })

  test('who is told to wait again and again gives up', async () => {
    always({ status: 429, headers: { 'retry-after': '0' } })
    await problem(reviews())
    expect(server.http.asked).toHaveLength(3)
  })
})

describe('failures', () => {
  test.each<[string, Reply]>([
    ['500', { status: 500, text: 'oops' }],
    ['502 with a page', { status: 502, text: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } }],
    ['503 that says when', { status: 503, headers: { 'retry-after': '0' } }],
    ['a body that is cut off', { text: '[{"id": 1', isCut: true, headers: { 'content-type': 'application/json' } }],
    ['no answer in time', { hangs: true }],
  ])('%s: tried again, and then it works', async (_, reply) => {
    server.http.fault(reply, { times: 2 })
    expect(await reviews(reply.hangs === true ? { limits: { ...limits, timeoutMs: 1500 } } : {})).toHaveLength(1)
    expect(server.http.asked).toHaveLength(3)
  })

  test.each<[string, Reply, RegExp]>([
    ['500', { status: 500, json: { message: 'oops' } }, /failed with 500: oops/],
    ['a body that is cut off', { text: '[', isCut: true }, /was not answered: terminated/],
    ['no answer in time', { hangs: true }, /no answer within 0.3 s/],
  ])('%s: an error after three tries, which says to try again', async (_, reply, message) => {
    always(reply)
    const error = await problem(reviews(reply.hangs === true ? { limits: { ...limits, timeoutMs: 300 } } : {}))
    expect(error.message).toMatch(message)
    expect(error).toMatchObject({ code: 'forge', hint: 'try again in a minute' })
    expect(server.http.asked).toHaveLength(3)
  })

  test('nobody there', async () => {
    const forge = await open()
    await server.http.close()
    expect((await problem(forge.reviews(7))).message).toMatch(/ECONNREFUSED/)
    server = await GitHubServer.start()
  })

  test.each<[string, Reply]>([
    ['500', { status: 500 }],
    ['a cut', { status: 201, text: '{', isCut: true }],
    ['a time-out', { hangs: true }],
  ])('what changes something is not tried again after %s', async (_, reply) => {
    always(reply)
    const forge = await open(reply.hangs === true ? { limits: { ...limits, timeoutMs: 300 } } : {})
    await problem(forge.status(oid('a'), { state: 'success', context: 'c', description: 'd' }))
    expect(server.http.asked).toHaveLength(1)
    const merge = await problem(forge.merge(7, { method: 'merge', head: oid('a') }))
    expect(server.http.asked).toHaveLength(2)
    if (reply.status !== 500)
      expect(merge).toMatchObject({
        message: expect.stringContaining('it is not known whether it took effect') as string,
      })
  })

  test('an interruption ends it at once', async () => {
    const controller = new AbortController()
    always(() => {
      controller.abort(new PlanError('terminated', 'terminated'))
      return { hangs: true }
    })
    expect(await problem(reviews({ signal: controller.signal }))).toMatchObject({ code: 'terminated' })
    expect(server.http.asked).toHaveLength(1)
    expect(await problem(reviews({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'interrupted' })
  })

  test('an interruption ends a wait', async () => {
    const controller = new AbortController()
    always(() => {
      setTimeout(() => controller.abort(), 50)
      return { status: 429, headers: { 'retry-after': '2' } }
    })
    expect(await problem(reviews({ signal: controller.signal }))).toMatchObject({ code: 'interrupted' })
    expect(server.http.asked).toHaveLength(1)
  })
})

describe('answers that are none', () => {
  test.each<[string, Reply]>([
    [
      'a page',
      { text: '<!doctype html><title>Sign in</title>', headers: { 'content-type': 'text/html; charset=utf-8' } },
    ],
    ['a page that says it is JSON', { text: '<!doctype html>', headers: { 'content-type': 'application/json' } }],
    ['half of it', { text: '[{"id": 1, "state": "APPR', headers: { 'content-type': 'application/json' } }],
    ['nothing', { text: '' }],
    ['204', { status: 204 }],
    ['null', { json: null }],
    ['an object', { json: { state: 'APPROVED' } }],
    ['a list of other things', { json: [1, 'APPROVED'] }],
    ['bytes', { text: '[]', headers: { 'content-type': 'application/octet-stream' } }],
    ['a type that is none', { text: '[]', headers: { 'content-type': '///' } }],
  ])('%s', async (_, reply) => {
    always(reply)
    expect(await problem(reviews())).toMatchObject({
      code: 'forge',
      exitCode: 3,
      message: expect.stringContaining('got an unexpected answer') as string,
    })
  })

  test('304, for which nobody has asked', async () => {
    always({ status: 304 })
    expect(await problem(reviews())).toMatchObject({ code: 'forge' })
  })

  test('too large', async () => {
    always({ json: ['x'.repeat(200_000)] })
    expect((await problem(reviews())).message).toContain('more than 100000 bytes')
    expect(server.http.asked).toHaveLength(1)
  })
})

describe('redirects', () => {
  async function elsewhere(): Promise<{ origin: string; asked: (string | undefined)[]; close: () => void }> {
    const asked: (string | undefined)[] = []
    const other = createServer((request, response) => {
      asked.push(request.headers.authorization)
      response
        .setHeader('content-type', 'application/json')
        .end(
          JSON.stringify([
            { id: 1, state: 'APPROVED', user: null, commit_id: oid('a'), submitted_at: '2026-01-01T00:00:00Z' },
          ]),
        )
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    return { origin: `http://127.0.0.1:${(other.address() as AddressInfo).port}`, asked, close: () => other.close() }
  }

  test.each([301, 302, 303, 307, 308])(
    '%i to another host: neither is it asked, nor is it believed',
    async (status) => {
      const other = await elsewhere()
      always({ status, headers: { location: `${other.origin}/reviews` } })
      const error = await problem(reviews())
      expect(error.message).toContain(`a redirect to ${other.origin}, which is not the forge`)
      expect(other.asked).toEqual([])
      other.close()
    },
  )

  test('to the same host by another name, or in another protocol', async () => {
    for (const location of [
      `http://localhost:${server.http.host.split(':')[1]}/x`,
      `https://${server.http.host}/x`,
      '//127.0.0.2/x',
    ]) {
      server.http.fault({ status: 302, headers: { location } })
      expect((await problem(reviews())).message).toContain('not the forge')
    }
  })

  test('round in circles, to nowhere, and without a target', async () => {
    server.http.fault({ status: 302, headers: { location: '/api/v3/again' } }, { times: 6 })
    expect((await problem(reviews())).message).toContain('too many redirects')
    server.http.fault({ status: 302, headers: { location: 'http://' } })
    expect((await problem(reviews())).message).toContain('without a valid location')
    server.http.fault({ status: 302 })
    expect((await problem(reviews())).message).toContain('without a valid location')
  })

  test('what changes something is not carried out elsewhere, but where the forge keeps the method', async () => {
    const forge = await open()
    server.http.fault({ status: 301, headers: { location: '/api/v3/repositories/1/statuses' } })
    expect(
      (await problem(forge.status(oid('a'), { state: 'success', context: 'c', description: 'd' }))).message,
    ).toContain('git remote set-url')
    expect(server.http.asked).toHaveLength(1)
  })

  test('a link to a next page elsewhere is asked of the forge', async () => {
    const other = await elsewhere()
    server.http.fault(() => ({
      json: server.state.reviews,
      headers: { link: `<${other.origin}/api/v3/nowhere?page=2>; rel="next"` },
    }))
    expect(await problem(reviews())).toMatchObject({ facts: { status: 404 } })
    expect(other.asked).toEqual([])
    other.close()
  })
})
