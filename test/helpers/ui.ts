// `git plan ui` as a process, and requests to it as a browser sends them.

import type { ChildProcess } from 'node:child_process'
import { request } from 'node:http'
import { ended, type Ran, type RunOptions, type TestRepo } from './repo.ts'

export interface UiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The body, if it is JSON. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface UiRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export class UiServer {
  /** The link that works once. */
  readonly link: string
  readonly #child: ChildProcess
  readonly #ended: Promise<Ran>
  #cookie = ''
  #key = ''

  private constructor(child: ChildProcess, link: string, end: Promise<Ran>) {
    this.#child = child
    this.link = link
    this.#ended = end
  }

  static async start(
    repo: TestRepo,
    { args = [], ...options }: RunOptions & { readonly args?: readonly string[] } = {},
  ): Promise<UiServer> {
    const child = repo.spawn(['ui', '--no-open', ...args], options)
    const end = ended(child)
    const link = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        const [link] = /http:\S+?(?=[\s"])/.exec(text) ?? []
        if (link !== undefined) resolve(link)
      })
      void end.then(({ all }) => reject(new Error(`git plan ui has ended: ${all}`)))
    })
    return new UiServer(child, link, end)
  }

  get origin(): string {
    return new URL(this.link).origin
  }

  get host(): string {
    return new URL(this.link).host
  }

  /** Exactly this request. */
  send(path: string, { method = 'GET', headers = {}, body }: UiRequest = {}): Promise<UiAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.origin), { method, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json') === true
          const data = isJson ? (JSON.parse(text) as UiAnswer['data']) : {}
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, data })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  /** Uses the link, as the browser does. */
  async open(): Promise<UiAnswer> {
    const answer = await this.send(this.link)
    this.#cookie = (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
    this.#key = /#key=([\w-]+)/.exec(answer.text)?.[1] ?? ''
    return answer
  }

  /** What the page sends with each question. */
  get secrets(): { readonly cookie: string; readonly 'x-git-plan-key': string } {
    return { cookie: this.#cookie, 'x-git-plan-key': this.#key }
  }

  get cookie(): string {
    return this.#cookie
  }

  get(path: string): Promise<UiAnswer> {
    return this.send(path, { headers: this.secrets })
  }

  post(path: string, body: object): Promise<UiAnswer> {
    return this.send(path, {
      method: 'POST',
      headers: { ...this.secrets, origin: this.origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** As Ctrl-C. */
  stop(): Promise<Ran> {
    this.#child.kill('SIGINT')
    return this.#ended
  }
}
