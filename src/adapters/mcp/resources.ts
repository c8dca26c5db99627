// Plan files, reports and histories as resources.

import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ListData } from '../../commands/inspect/list.ts'
import type { ShowData } from '../../commands/inspect/show.ts'
import { PlanError } from '../../errors.ts'
import { maskTokens } from '../../secrets/mask.ts'
import type { Calls } from '../library/calls.ts'
import type { Answer } from './tools/tool.ts'

/** The text that a command prints for people. */
export type Print = (command: string, answer: Answer) => Promise<string>

interface Sources {
  readonly calls: Calls
  readonly print: Print
}

const markdown = 'text/markdown'

export function offerResources(server: McpServer, { calls, print }: Sources): void {
  const idsOf = async (begin: string, { signal }: { signal: AbortSignal }): Promise<string[]> =>
    (await plansOf(calls, signal)).map(({ id }) => id).filter((id) => id.startsWith(begin))
  const complete = { id: (begin: string) => idsOf(begin, new AbortController()) }

  server.registerResource(
    'plan',
    new ResourceTemplate('git-plan://plans/{id}', {
      list: async ({ mcpReq }) => ({
        resources: (await plansOf(calls, mcpReq.signal)).map(({ id, title, seen }) => ({
          uri: `git-plan://plans/${id}`,
          name: id,
          title: maskTokens(title),
          description: seen,
          mimeType: markdown,
        })),
      }),
      complete,
    }),
    { title: 'Plan file', mimeType: markdown },
    (uri, { id }, context) =>
      read(uri, markdown, async () => ((await call('show', id, context)).data as ShowData).text),
  )
  server.registerResource(
    'report',
    new ResourceTemplate('git-plan://plans/{id}/report', { list: undefined, complete }),
    { title: 'Report of a plan', description: 'Steps, files, checks and decisions', mimeType: markdown },
    (uri, { id }, context) => read(uri, markdown, async () => print('report', await call('report', id, context))),
  )
  server.registerResource(
    'log',
    new ResourceTemplate('git-plan://plans/{id}/log', { list: undefined, complete }),
    { title: 'History of a plan', description: 'Events, attempts and rollbacks, newest first', mimeType: 'text/plain' },
    (uri, { id }, context) => read(uri, 'text/plain', async () => print('log', await call('log', id, context))),
  )
  server.registerResource(
    'schema',
    'git-plan://schema',
    { title: 'JSON Schema of the plan file', mimeType: 'application/schema+json' },
    (uri, { mcpReq }) =>
      read(uri, 'application/schema+json', async () => {
        const { data } = await calls.run('schema', {}, mcpReq)
        return JSON.stringify((data as { schema: object }).schema)
      }),
  )

  const call = (command: string, plan: unknown, { mcpReq }: ServerContext): Promise<Answer> =>
    calls.run(command, { plan }, mcpReq)
}

const plansOf = async (calls: Calls, signal: AbortSignal): Promise<ListData['plans']> =>
  ((await calls.run('list', {}, { signal })).data as ListData).plans

async function read(
  uri: URL,
  mimeType: string,
  text: () => Promise<string>,
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
  try {
    return { contents: [{ uri: uri.href, mimeType, text: maskTokens(await text()) }] }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    const hint = error.hint === undefined ? '' : `\nHint: ${error.hint}`
    if (error.code === 'unknown-plan') throw new ResourceNotFoundError(uri.href, `${error.message}${hint}`)
    throw new Error(maskTokens(`${error.code}: ${error.message}${hint}`), { cause: error })
  }
}
