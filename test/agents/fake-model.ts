// A model on loopback that says what a test wants: the dialects of Anthropic, of OpenAI (responses and chat) and of
// Gemini, which together serve every agent here. Nothing of a real model is known or needed.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One thing that the model says: a text, or the call of a tool. */
export type Said =
  | { readonly text: string }
  | {
      readonly tool: string
      readonly args: unknown
      /** A tool that takes a text and not JSON, as `apply_patch` of Codex. */
      readonly isFreeform?: true
    }
/** What it says in one turn. */
export type Turn = Said | readonly Said[]

export interface FakeModel {
  readonly url: string
  /** The bodies of all requests, as they came. */
  readonly requests: readonly string[]
  close(): Promise<void>
}

export interface ModelOptions {
  /** Given out one by one. After the last, the model says that it is done. */
  readonly turns: readonly Turn[]
  /** The last turn is repeated for ever. */
  readonly isEndless?: boolean
  /** Milliseconds before each answer. */
  readonly delay?: number
}

type Json = Record<string, unknown>

export async function startModel({ turns, isEndless = false, delay = 0 }: ModelOptions): Promise<FakeModel> {
  const requests: string[] = []
  let given = 0
  const nextTurn = (): readonly Said[] => {
    const at = isEndless ? Math.min(given, turns.length - 1) : given
    given += 1
    return [turns[at] ?? { text: 'Done.' }].flat()
  }
  const server = createServer((request, response) => {
    void serve(request, response)
  })
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    requests.push(body)
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
    answer({ path: (request.url ?? '').split('?')[0] ?? '', body: parse(body), id: given + 1, nextTurn }, response)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return {}
  }
}

interface Asked {
  readonly path: string
  readonly body: Json
  readonly id: number
  readonly nextTurn: () => readonly Said[]
}

function answer(asked: Asked, response: ServerResponse): void {
  const { path } = asked
  if (path.endsWith('/messages')) return anthropic(asked, response)
  if (path.endsWith('/responses')) return openAiResponses(asked, response)
  if (path.endsWith('/chat/completions')) return openAiChat(asked, response)
  if (/:(stream)?generateContent$/i.test(path)) return gemini(asked, response)
  if (/(count_?tokens)$/i.test(path)) return json(response, { input_tokens: 100, totalTokens: 100 })
  if (path.endsWith('/models'))
    return json(response, { object: 'list', data: [{ id: 'mock', object: 'model' }], models: [] })
  return json(response, { error: { message: 'the fake model does not know this', type: 'not_found' } }, 404)
}

/** Requests without tools are about a title or a summary: they are not part of the script. */
const usesTools = ({ body }: Asked): boolean => Array.isArray(body['tools']) && body['tools'].length > 0
const turnOf = (asked: Asked): readonly Said[] => (usesTools(asked) ? asked.nextTurn() : [{ text: 'A title' }])

const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function stream(
  response: ServerResponse,
  events: readonly (readonly [name: string | undefined, data: unknown])[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [name, data] of events)
    response.write(
      `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    )
  response.end()
}

function anthropic(asked: Asked, response: ServerResponse): void {
  const blocks = turnOf(asked).map((said, at) =>
    'text' in said
      ? { type: 'text', text: said.text }
      : { type: 'tool_use', id: `toolu_${asked.id}_${at}`, name: said.tool, input: said.args },
  )
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 }
  const message = { id: `msg_${asked.id}`, type: 'message', role: 'assistant', model: asked.body['model'] }
  const reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
  if (asked.body['stream'] !== true)
    return json(response, { ...message, content: blocks, stop_reason: reason, stop_sequence: null, usage })
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  return stream(response, [
    ['message_start', { type: 'message_start', message: started }],
    ...blocks.flatMap((block, index): [string, unknown][] => {
      const isText = block.type === 'text'
      const delta = isText
        ? { type: 'text_delta', text: (block as { text: string }).text }
        : { type: 'input_json_delta', partial_json: JSON.stringify((block as { input: unknown }).input) }
      return [
        [
          'content_block_start',
          {
            type: 'content_block_start',
            index,
            content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
          },
        ],
        ['content_block_delta', { type: 'content_block_delta', index, delta }],
        ['content_block_stop', { type: 'content_block_stop', index }],
      ]
    }),
    ['message_delta', { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage }],
    ['message_stop', { type: 'message_stop' }],
  ])
}

function openAiResponses(asked: Asked, response: ServerResponse): void {
  const id = `resp_${asked.id}`
  const items = asked.nextTurn().map((said, at) => {
    const call = `call_${asked.id}_${at}`
    if ('text' in said)
      return {
        type: 'message',
        id: `msg_${asked.id}_${at}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: said.text, annotations: [] }],
      }
    return said.isFreeform === true
      ? {
          type: 'custom_tool_call',
          id: `ctc_${asked.id}_${at}`,
          call_id: call,
          name: said.tool,
          input: said.args,
          status: 'completed',
        }
      : {
          type: 'function_call',
          id: `fc_${asked.id}_${at}`,
          call_id: call,
          name: said.tool,
          arguments: JSON.stringify(said.args),
          status: 'completed',
        }
  })
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  }
  stream(response, [
    [
      'response.created',
      { type: 'response.created', response: { id, object: 'response', status: 'in_progress', output: [] } },
    ],
    ...items.flatMap((item, at): [string, unknown][] => [
      ['response.output_item.added', { type: 'response.output_item.added', output_index: at, item }],
      ['response.output_item.done', { type: 'response.output_item.done', output_index: at, item }],
    ]),
    [
      'response.completed',
      { type: 'response.completed', response: { id, object: 'response', status: 'completed', output: items, usage } },
    ],
  ])
}

function openAiChat(asked: Asked, response: ServerResponse): void {
  const said = turnOf(asked)
  const text = said.flatMap((each) => ('text' in each ? each.text : [])).join('')
  const calls = said.flatMap((each, index) => {
    if ('text' in each) return []
    const call = { index, id: `call_${asked.id}_${index}` }
    return each.isFreeform === true
      ? { ...call, type: 'custom', custom: { name: each.tool, input: each.args } }
      : { ...call, type: 'function', function: { name: each.tool, arguments: JSON.stringify(each.args) } }
  })
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  const reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const { model } = asked.body
  if (asked.body['stream'] !== true) {
    const message = {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    return json(response, {
      id: 'cc',
      object: 'chat.completion',
      model,
      choices: [{ index: 0, finish_reason: reason, message }],
      usage,
    })
  }
  const chunk = (delta: Json, finish: string | null = null): readonly [undefined, unknown] => [
    undefined,
    {
      id: `cc${asked.id}`,
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  ]
  return stream(response, [
    chunk({ role: 'assistant', content: text }),
    ...(calls.length > 0 ? [chunk({ tool_calls: calls })] : []),
    chunk({}, reason),
    [undefined, { id: `cc${asked.id}`, object: 'chat.completion.chunk', created: 1, model, choices: [], usage }],
    [undefined, '[DONE]'],
  ])
}

function gemini(asked: Asked, response: ServerResponse): void {
  const { tools } = asked.body
  const hasTools =
    Array.isArray(tools) &&
    tools.some((each: { functionDeclarations?: unknown[] }) => (each.functionDeclarations?.length ?? 0) > 0)
  const said: readonly Said[] = hasTools
    ? asked.nextTurn()
    : [{ text: '{"complexity_reasoning":"simple","complexity_score":1,"model_choice":"flash","reasoning":"x"}' }]
  const parts = said.map((each) =>
    'text' in each ? { text: each.text } : { functionCall: { name: each.tool, args: each.args } },
  )
  const value = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: 'mock',
  }
  if (/streamGenerateContent$/i.test(asked.path)) return stream(response, [[undefined, value]])
  return json(response, value)
}
