// The answers of the server.

import { hostname } from 'node:os'
import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie } from 'hono/cookie'
import { PlanError } from '../../errors.ts'
import { maskValues } from '../../secrets/masked.ts'
import type { Calls, CallsWorld } from '../library/calls.ts'
import type { PlansResult } from '../library/plans.ts'
import { refusalOf } from '../library/refusal.ts'
import { actions } from './actions.ts'
import { campaignIds, readCampaign } from './campaigns.ts'
import { streamNews } from './live.ts'
import { pageFile } from './page-files.ts'
import { reads } from './reads.ts'
import type { Runs } from './runs.ts'
import type { Session } from './session.ts'

export interface AppWorld {
  readonly world: CallsWorld
  readonly calls: Calls
  readonly runs: Runs
  readonly session: Session
  /** The name of the repository, for the title of the page. */
  readonly name: string
  /** Aborted when the server ends. */
  readonly signal: AbortSignal
  /** A collector has no cookie. */
  readonly hasOpenMetrics: boolean
}

const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // The page makes no markup from text.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // A link in the prose of a plan is not looked up before somebody follows it.
  'X-DNS-Prefetch-Control': 'off',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** Also in page/key.ts. */
const keyHeader = 'x-git-plan-key'

const largestRequest = 4 * 1024 * 1024

export function makeApp(given: AppWorld): Hono {
  const { world, calls, runs, session, name, signal, hasOpenMetrics } = given
  const app = new Hono()

  app.use(async (c, next) => {
    await next()
    for (const [header, value] of Object.entries(headers)) c.res.headers.set(header, value)
  })
  app.use(async (c, next) => {
    if (!session.isOwnHost(c.req.header('host'))) return c.text('This is not a name of this server.\n', 403)
    const origin = c.req.header('origin')
    const isOwn = origin === `http://${c.req.header('host')}`
    if (origin !== undefined ? !isOwn : c.req.method !== 'GET')
      return c.text('Only the page of this server may ask that.\n', 403)
    return next()
  })
  app.get('/open', (c) => {
    const secrets = session.exchange(c.req.query('token') ?? '')
    if (secrets === undefined) return c.text('This link was used before. Type: git plan ui\n', 403)
    // A page and not a redirect: a browser sends a strict cookie only on the way from a page of this server.
    const { cookie, key } = secrets
    const page = `<!doctype html><meta http-equiv="refresh" content="0;url=/#key=${key}"><title>git plan</title>`
    return c.html(page, 200, {
      'Set-Cookie': `${session.cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    })
  })
  app.use(async (c, next) => {
    // Files of the page say nothing about plans. A stream of events has no headers of its own.
    const isFile = !c.req.path.startsWith('/api/') && c.req.path !== '/metrics'
    const isKnown =
      session.isKnown(getCookie(c, session.cookieName)) &&
      (isFile || session.isKey(c.req.header(keyHeader) ?? c.req.query('key')))
    return isKnown || (hasOpenMetrics && c.req.path === '/metrics')
      ? next()
      : c.text('Open the link that git plan ui has printed; it works once.\n', 401)
  })

  app.get('/metrics', async (c) => {
    const { data } = await calls.run('metrics', {}, { signal: c.req.raw.signal })
    return c.text((data as { readonly text: string }).text, 200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    })
  })
  app.get('/api/live', (c) => streamNews(c, { world, runs, signal }))
  app.get('/api/repository', (c) => c.json({ name, host: hostname(), running: runs.plans }))
  app.get('/api/plans', async (c) => {
    const isAll = c.req.query('all') !== undefined
    return c.json(maskValues(bodyOf(await calls.run('list', isAll ? { all: true } : {}, { signal: c.req.raw.signal }))))
  })
  app.get('/api/campaigns', async (c) => c.json({ campaigns: await campaignIds(calls, c.req.raw.signal) }))
  app.get('/api/campaigns/:id', async (c) =>
    c.json(maskValues({ ...(await readCampaign(calls, c.req.param('id'), c.req.raw.signal)) })),
  )
  app.get('/api/plans/:id/:read', async (c, next) => {
    const read = ownValue(reads, c.req.param('read'))
    if (read === undefined) return next()
    const asked = (read.keys ?? []).flatMap((key) => {
      const value = c.req.query(key)
      return value === undefined ? [] : [[key, value] as const]
    })
    const request = { plan: c.req.param('id'), ...read.fixed, ...Object.fromEntries(asked) }
    const body = bodyOf(await calls.run(read.command, request, { signal: c.req.raw.signal }))
    return c.json(read.isVerbatim === true ? body : maskValues(body))
  })
  app.post('/api/plans/:id/stop', (c) => {
    runs.stop(c.req.param('id'))
    return c.json({ schemaVersion: 1, kind: 'stopping' }, 202)
  })
  app.post('/api/plans/:id/:action', bodyLimit({ maxSize: largestRequest }), async (c, next) => {
    const [plan, command] = [c.req.param('id'), c.req.param('action')]
    const action = ownValue(actions, command)
    if (action === undefined) return next()
    const request = { ...(await requestOf(c, action.keys)), plan }
    if (action.runs !== true)
      return c.json(maskValues(bodyOf(await calls.run(command, request, { signal: new AbortController().signal }))))
    const answer = await runs.begin(plan, command, request)
    return answer === undefined
      ? c.json({ schemaVersion: 1, kind: 'started', plan }, 202)
      : c.json(maskValues(bodyOf(answer)))
  })
  app.get('*', async (c, next) => {
    const file = await pageFile(c.req.path)
    return file === undefined ? next() : c.body(file.bytes, 200, { 'Content-Type': file.type })
  })
  app.notFound((c) => c.text('Not found.\n', 404))
  app.onError((error, c) => {
    const refusal = maskValues({ ...refusalOf(error) })
    return c.json(refusal, refusal.exitCode === 70 ? 500 : refusal.exitCode === 3 ? 403 : 409)
  })
  return app
}

/** `constructor` is no command. */
const ownValue = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** As `--json` prints it. */
const bodyOf = ({ kind, exitCode, data, nextCommands }: PlansResult<object>): Record<string, unknown> => ({
  schemaVersion: 1,
  kind,
  exitCode,
  ...data,
  nextCommands,
})

/** Only these keys: the others of the command are for the command line. */
async function requestOf(c: Context, keys: readonly string[]): Promise<Record<string, unknown>> {
  const isJson = c.req.header('content-type')?.split(';')[0] === 'application/json'
  const body: unknown = isJson ? await c.req.json().catch(() => undefined) : undefined
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new PlanError('usage', 'a request has an object as JSON', { hint: 'git plan ui' })
  const unknown = Object.keys(body).find((key) => !keys.includes(key))
  if (unknown !== undefined)
    throw new PlanError('usage', `the page cannot ask for ${JSON.stringify(unknown.slice(0, 80))}`, {
      hint: 'git plan ui',
    })
  return body as Record<string, unknown>
}
