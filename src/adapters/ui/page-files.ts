// The files of the page, as the build left them beside the program.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

declare const GIT_PLAN_VERSION: string | undefined

const directory = fileURLToPath(
  new URL(typeof GIT_PLAN_VERSION === 'string' ? '../ui/' : '../../../dist/ui/', import.meta.url),
)
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
}
/** Names that the build gives; nothing else is looked for. */
const ownName = /^[\w-]+(?:\.[\w-]+)?\.(js|css|svg)$/
/** The addresses of the page: the page itself finds out what to show. */
const address = /^\/(?:campaigns\/[^/]+|plans\/[^/]+(?:\/(?:steps\/[^/]+(?:\/compare)?|text|timeline))?)?$/

/** undefined: there is no such file. */
export async function pageFile(path: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string } | undefined> {
  const asked = path.startsWith('/assets/') ? path.slice('/assets/'.length) : ''
  const name = address.test(path) ? 'index.html' : ownName.test(asked) ? asked : undefined
  if (name === undefined) return undefined
  const bytes = await readFile(`${directory}${name}`).catch(() => undefined)
  const type = types[name.slice(name.lastIndexOf('.') + 1)]
  return bytes === undefined || type === undefined ? undefined : { bytes: new Uint8Array(bytes), type }
}
