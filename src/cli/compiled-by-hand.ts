// What Node 22 does by itself, for Node 20: the packs of the build, and what is large besides, are compiled with what V8 kept of an earlier run of the same command, as it was at
// the end of that run, with every function that it used. V8 refuses what another version of it has made; which text it was made from is in the name.

import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

interface Compiling {
  readonly filename: string
  exports: unknown
  require(id: string): unknown
}

type Compile = (this: Compiling, content: string, filename: string) => unknown
type Require = (id: string) => unknown
type Wrapper = (exports: unknown, require: Require, module: Compiling, filename: string, directory: string) => void
type Pack = (require: Require, module: Compiling) => void

/** Not documented, and what every program that compiles for itself goes through; Node 20 will not change it any more, and newer ones are not asked. */
const compiling = '_compile'
const resolving = '_resolveFilename'

interface Loader {
  readonly prototype: { [compiling]: Compile }
  [resolving]: (this: unknown, id: string, parent: Compiling, ...more: unknown[]) => string
}

/** `command`: what it is kept for. */
export function compileByHand(directory: string, command: string): void {
  // As `node:module` has it, without loading what else belongs to that.
  const loader = module.constructor as unknown as Loader
  const { prototype, [resolving]: resolve } = loader
  // There is one file of that name, and it is beside: no need to look for it, for links to it, and for a package that it is in.
  loader[resolving] = function find(id, parent, ...more) {
    return isPack.test(id) ? `${dirname(parent.filename)}${id.slice(1)}` : resolve.call(this, id, parent, ...more)
  }
  const usual = prototype[compiling]
  const fresh: { script: Script; file: string }[] = []
  prototype[compiling] = function compile(content, filename) {
    const name = nameOf(filename, content)
    if (name === undefined) return usual.call(this, content, filename)
    const file = `${directory}/${process.version}-${process.arch}-${name}-${command}`
    const cachedData = readOr(file)
    // A pack is a function already.
    const isWhole = isPack.test(`./${basename(filename)}`)
    const script = new Script(isWhole ? content : `(function(exports,require,module,__filename,__dirname){${content}\n})`, {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    })
    if (cachedData === undefined || script.cachedDataRejected === true) fresh.push({ script, file })
    const run: unknown = script.runInThisContext()
    const require: Require = (id) => this.require(id)
    if (isWhole) (run as Pack)(require, this)
    else (run as Wrapper)(this.exports, require, this, filename, dirname(filename))
    return undefined
  }
  process.once('exit', (code) => {
    // A misspelt command is none to keep anything for.
    if (code === 0 && fresh.length > 0) keep(directory, fresh)
  })
}

const isPack = /^\.\/(?:chunks\/)?[a-z]+-[0-9a-f]{16}\.cjs$/

/** To compile less than this takes no longer than to read what was kept. */
const leastBytes = 20_000

/** Of a pack of the build, which has its text in its name, or of a large single chunk, whose text may differ under the same name. */
function nameOf(filename: string, content: string): string | undefined {
  const [, pack, chunk] = /^(?:(\w+-[0-9a-f]{16})|([\w-]+-[0-9A-Z]{8}))\.cjs$/.exec(basename(filename)) ?? []
  return pack ?? (chunk === undefined || content.length < leastBytes ? undefined : `${chunk}-${crc32(content).toString(16)}`)
}

/** V8 trusts what it is given, and dies of a wrong byte: what was kept has its checksum in front. */
function readOr(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file)
    return bytes.length > 4 && bytes.readUInt32BE(0) === crc32(bytes.subarray(4)) ? bytes.subarray(4) : undefined
  } catch {
    return undefined
  }
}

/** Whole or not at all. */
function keep(directory: string, fresh: readonly { script: Script; file: string }[]): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    for (const { script, file } of fresh) {
      const draft = `${file}.${process.pid}`
      const descriptor = openSync(draft, 'wx', 0o600)
      try {
        const compiled = script.createCachedData()
        const checksum = Buffer.alloc(4)
        checksum.writeUInt32BE(crc32(compiled))
        writeFileSync(descriptor, Buffer.concat([checksum, compiled]))
      } finally {
        closeSync(descriptor)
      }
      renameSync(draft, file)
    }
  } catch {
    // No room, or not ours to write: the next run compiles again.
  }
}
