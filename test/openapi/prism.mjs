// Prism on loopback, with one description.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

const longest = 180_000

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Answers with its address and how to end it. */
export async function startPrism(program, description) {
  const port = await freePort()
  const child = spawn(process.execPath, [program, 'mock', '--host', '127.0.0.1', '--port', String(port), description], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'close')
  }
  let said = ''
  const timer = setTimeout(() => child.kill(), longest)
  const isListening = await new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-4000)
      if (said.includes('Prism is listening')) resolve(true)
    })
    child.on('close', () => resolve(false))
  })
  clearTimeout(timer)
  if (!isListening) throw new Error(`Prism does not take ${description}: ${said}`)
  return { url: `http://127.0.0.1:${port}`, stop }
}
