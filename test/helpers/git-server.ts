// A bare repository behind `git http-backend`, as on a server: CGI over HTTP on loopback. Its hooks find git-plan on
// the PATH of the server.

import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { bin, ended, type Ran, type TestRepo } from './repo.ts'

export class GitServer {
  readonly dir: string
  readonly #env: Record<string, string>
  readonly #server: Server

  private constructor(dir: string, env: Record<string, string>) {
    this.dir = dir
    this.#env = env
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  /**
   * Beside the repository, whose remote `origin` it becomes. `path`: what the server has besides git and node; default:
   * git-plan.
   */
  static async beside(
    repo: TestRepo,
    options: { withProgram?: boolean; init?: readonly string[] } = {},
  ): Promise<GitServer> {
    const top = dirname(repo.dir)
    const dir = join(top, 'server', 'project.git')
    const programs = join(top, 'programs')
    mkdirSync(join(top, 'server'))
    mkdirSync(programs)
    symlinkSync(bin, join(programs, 'git-plan'))
    const env = {
      ...repo.env,
      HOME: join(top, 'server'),
      PATH: options.withProgram === false ? repo.env['PATH']! : `${programs}:${repo.env['PATH']}`,
    }
    const server = new GitServer(dir, env)
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', ...(options.init ?? []), dir], { env })
    server.git(['config', 'http.receivepack', 'true'])
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    repo.git(['remote', 'add', 'origin', server.url])
    repo.git(['config', 'plan.policyRef', 'main'])
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/project.git`
  }

  git(args: readonly string[], options: { input?: string } = {}): string {
    return execFileSync('git', [...args], {
      cwd: this.dir,
      env: this.#env,
      encoding: 'utf8',
      input: options.input,
      stdio: ['pipe', 'pipe', 'pipe'],
    }).replace(/\n$/, '')
  }

  /** The refs that it has, by name. */
  refs(): Record<string, string> {
    const lines = this.git(['for-each-ref', '--format=%(refname) %(objectname)']).split('\n')
    return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ') as [string, string]))
  }

  /** `git push origin …` from there, while this process answers. */
  push(
    repo: TestRepo,
    args: readonly string[],
    options: { env?: Readonly<Record<string, string>> } = {},
  ): Promise<Ran> {
    const child = spawn('git', ['push', 'origin', ...args], {
      cwd: repo.dir,
      env: { ...repo.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return ended(child)
  }

  plan(args: readonly string[]): string {
    return execFileSync(process.execPath, [bin, ...args], {
      cwd: this.dir,
      env: this.#env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '/', 'http://server')
    const child = spawn('git', ['http-backend'], {
      env: {
        ...this.#env,
        GIT_PROJECT_ROOT: dirname(this.dir),
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method ?? 'GET',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REMOTE_ADDR: '127.0.0.1',
        REMOTE_USER: 'ada',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        ...variable('CONTENT_LENGTH', request.headers['content-length']),
        ...variable('HTTP_CONTENT_ENCODING', request.headers['content-encoding']),
        ...variable('GIT_PROTOCOL', request.headers['git-protocol'] as string | undefined),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.on('error', () => {})
    request.pipe(child.stdin)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', () => reply(Buffer.concat(chunks), response))
  }
}

const variable = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: value }

/** Headers, an empty line, the body; the code is a header, too. */
function reply(answer: Buffer, response: ServerResponse): void {
  const end = answer.indexOf('\r\n\r\n')
  const headers = answer
    .subarray(0, Math.max(end, 0))
    .toString('latin1')
    .split('\r\n')
    .map((line) => line.split(': ') as [string, string])
  const status = headers.find(([name]) => name === 'Status')?.[1]
  response.writeHead(
    end < 0 ? 500 : Number(status?.slice(0, 3) ?? 200),
    headers.filter(([name]) => name !== 'Status' && name !== '').flat(),
  )
  response.end(answer.subarray(end + 4))
}
