// A program of its own, which an agent step starts: it speaks the Agent Client Protocol, version 1, with an agent that
// is its child, answers its permission requests from the scope of the step, and prints what happens as lines of JSON.
// Its arguments are the shell command of the agent; the task is on standard input.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { answerPermission, readScope } from './permission.ts'

type Json = Readonly<Record<string, unknown>>
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const print = (event: Json): void => void process.stdout.write(`${JSON.stringify(event)}\n`)

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Ends this program, and with it the agent: the executor kills whatever is left of its process group. */
function end(code: number, message?: string): never {
  if (message !== undefined) print({ type: 'error', message })
  process.exit(code)
}

async function main(): Promise<void> {
  const prompt = await readAll(process.stdin)
  const scope = readScope(process.env['PLAN_AGENT_SCOPE'])
  const agent = spawn('/bin/sh', ['-c', `exec ${process.argv[2] ?? 'false'}`], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = new Map<number, (message: Json) => void>()
  let last = 0
  const send = (message: Json): void => void agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method: string, params: Json): Promise<Json> => {
    const id = last++
    send({ id, method, params })
    return new Promise((resolve, reject) =>
      answers.set(id, ({ result, error }) =>
        isRecord(error)
          ? reject(new Error(`${method}: ${typeof error['message'] === 'string' ? error['message'] : 'refused'}`))
          : resolve(isRecord(result) ? result : {}),
      ),
    )
  }
  agent.stdin.on('error', () => {})
  agent.on('exit', (code) => end(1, `the agent ended before it answered (exit code ${code ?? 'none'})`))
  const take = (message: Json): void => {
    const { id, method, params } = message
    if (method === undefined && typeof id === 'number') {
      answers.get(id)?.(message)
      answers.delete(id)
    } else if (method === 'session/update' && isRecord(params)) report(params['update'])
    else if (method === 'session/request_permission' && id !== undefined) {
      const { outcome, denied } = answerPermission(isRecord(params) ? params : {}, scope, process.cwd())
      if (denied !== undefined) print({ type: 'denied', tool: denied })
      send({ id, result: { outcome } })
    } else if (id !== undefined)
      // Nothing else was offered, not even the file system: the agent does its own reading and writing.
      send({ id, error: { code: -32601, message: `${String(method)} is not offered` } })
  }
  // Only line feeds end a message.
  const lines = createInterface({ input: agent.stdout, crlfDelay: Infinity })
  lines.on('line', (line) => {
    try {
      const message: unknown = JSON.parse(line)
      if (isRecord(message)) take(message)
    } catch {
      process.stderr.write(`${line}\n`)
    }
  })
  await ask('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'git-plan', version: '1' },
  })
  const { sessionId } = await ask('session/new', { cwd: process.cwd(), mcpServers: [] })
  print({ type: 'session', id: sessionId })
  const { stopReason } = await ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] })
  agent.removeAllListeners('exit')
  end(stopReason === 'end_turn' ? 0 : 1, stopReason === 'end_turn' ? undefined : `it stopped: ${String(stopReason)}`)
}

function report(update: unknown): void {
  if (!isRecord(update)) return
  const { sessionUpdate: kind, content, toolCallId, cost } = update
  if (kind === 'agent_message_chunk' && isRecord(content) && typeof content['text'] === 'string')
    print({ type: 'text', text: content['text'] })
  if (kind === 'tool_call') print({ type: 'turn', id: toolCallId })
  // It is the cost of the session so far.
  if (kind === 'usage_update' && isRecord(cost) && cost['currency'] === 'USD')
    print({ type: 'cost', usd: cost['amount'] })
}

main().catch((error: unknown) => end(1, error instanceof Error ? error.message : String(error)))
