// The flow of data through the files of a script: what each name is known to hold or to lead to, as the commands are gone through one after the other. A file that
// the network sent is that wherever it is copied; a link is the place that it leads to; descriptors and process substitutions are files of /dev/fd.

import type { Call, Files, Flow } from './call.ts'
import { contentOf, flow, joined } from './flow.ts'
import { markedMatcher, marks } from './marks.ts'
import { given } from './options.ts'
import { fromTop, placeOf } from './places.ts'

interface Fact {
  readonly path: string
  readonly flow: Flow
  /** Whatever lies below it is the same. */
  readonly isDirectory?: true
}

type Learn = (call: Call, output: Flow) => readonly Fact[]

export class Known implements Files {
  readonly #files = new Map<string, Flow>()
  readonly #directories = new Map<string, Flow>()
  readonly #links = new Map<string, string>()
  #descriptors = 0

  holds(path: string, cwd: string): Flow | undefined {
    if (this.#files.size === 0 && this.#directories.size === 0) return undefined
    const name = fromTop(this.followed(path, cwd), cwd)
    const exact = this.#files.get(name)
    if (exact !== undefined) return exact
    if (name.includes(marks.glob)) {
      const isMatch = markedMatcher(name)
      const matching = [...this.#files].slice(-maxMatched).filter(([file]) => isMatch(file))
      if (matching.length > 0) return joined(matching.map(([, each]) => each))
    }
    const above =
      this.#directories.size === 0 ? undefined : prefixesOf(name).find((each) => this.#directories.has(each))
    return above === undefined ? undefined : this.#directories.get(above)
  }

  /** What a file holds from now on. What it held before may be there still: nobody knows which branch was taken. */
  write(path: string, cwd: string, content: Flow): void {
    const name = fromTop(this.followed(path, cwd), cwd)
    const before = this.#files.get(name)
    this.#files.set(
      name,
      before === undefined ? content : { ...content, from: new Set([...before.from, ...content.from]) },
    )
  }

  /** A path for what has no name. */
  descriptor(content: Flow): string {
    this.#descriptors += 1
    const path = `/dev/fd/substitution-${this.#descriptors}`
    this.#files.set(path, content)
    return path
  }

  /** Where a path leads through links that the script made. `isEntry`: the link itself is meant where it is named without a slash. */
  followed(path: string, cwd: string, isEntry = false): string {
    if (this.#links.size === 0) return path
    let name = fromTop(path, cwd)
    const isOpen = /\/\.?$/.test(path)
    for (let step = 0; step < 5; step += 1) {
      const link = prefixesOf(name).find((each) => this.#links.has(each) && (each !== name || !isEntry || isOpen))
      if (link === undefined) break
      name = `${this.#links.get(link)}${name.slice(link.length)}`
    }
    return name === fromTop(path, cwd) ? path : /^[/\u{E005}]/u.test(name) ? name : `${marks.top}/${name}`
  }

  /** After a call: what it wrote, and where it was written; for those that want to know. */
  learn(call: Call, output: Flow): readonly Fact[] {
    for (const [link, target] of linksOf(call)) this.#links.set(link, target)
    const redirected = call.targets.filter(({ operator, path }) => /^&?>/.test(operator) && !/^(\d+-?|-)$/.test(path))
    const facts: readonly Fact[] = [
      ...(table.get(call.name)?.(call, output) ?? []),
      ...redirected.map(({ path }) => ({ path, flow: output })),
    ]
    for (const { path, flow: content, isDirectory } of facts) {
      if (isDirectory === true) this.#directories.set(fromTop(path, call.cwd), content)
      else this.write(path, call.cwd, content)
    }
    return facts
  }
}

/** Of those that a script made, so many of the last are compared with a pattern. */
const maxMatched = 200

/** The path, and the directories above it. */
const prefixesOf = (path: string): string[] => {
  const segments = path.split('/').slice(0, 50)
  return segments.map((_, at) => segments.slice(0, segments.length - at).join('/'))
}

const baseOf = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? ''
const inDirectory = (directory: string, path: string): string => `${directory.replace(/\/+$/, '')}/${baseOf(path)}`

/** `ln -s TARGET NAME`: a relative target counts from where the link lies. */
function linksOf({ name, args, cwd }: Call): [link: string, target: string][] {
  if (name !== 'ln') return []
  const { operands, values, has } = given(args, '-t --target-directory -S --suffix')
  const [directory] = values('-t', '--target-directory')
  const last = directory ?? (operands.length > 1 ? operands.at(-1) : '.') ?? '.'
  const targets = directory === undefined && operands.length > 1 ? operands.slice(0, -1) : operands
  const isSymbolic = has('-s', '--symbolic')
  return targets.flatMap((target) => {
    const into = inDirectory(last, target)
    return (directory === undefined && operands.length > 1 && !last.endsWith('/') ? [last, into] : [into]).map(
      (link): [string, string] => {
        const place = fromTop(link, cwd)
        return [place, fromTop(target, isSymbolic ? place.split('/').slice(0, -1).join('/') : cwd)]
      },
    )
  })
}

const copying: Learn = (call) => {
  const { operands, values } = given(call.args, '-t --target-directory -m -o -g -S --mode --owner --group --suffix')
  const [directory] = values('-t', '--target-directory')
  const last = directory ?? operands.at(-1)
  const sources = directory === undefined ? operands.slice(0, -1) : operands
  if (last === undefined) return []
  return sources.flatMap((source) => {
    const content = contentOf(source, call)
    return [...(directory === undefined ? [last] : []), inDirectory(last, source)].map((path) => ({
      path,
      flow: content,
    }))
  })
}

const isUrl = (text: string): boolean => /^(https?|ftp|file):/.test(text)
const isRemote = (path: string): boolean =>
  /^([\w.-]+@)?[\w.-]+:(?!\/\/$)/.test(path) || /^(rsync|s3|gs|ftp|sftp):\/\//.test(path)

/** Options that name a file, those that name a directory, and those that name the file as its address does. */
const fetching =
  (
    files: string,
    directories: string,
    isNamedByAddress: (has: (...names: readonly string[]) => boolean) => boolean,
    others = '',
  ): Learn =>
  ({ args }) => {
    const { values, has, operands } = given(args, `${files} ${directories} ${others}`)
    const [directory] = values(...directories.split(' '))
    const within = (path: string): string =>
      directory === undefined || path.startsWith('/') ? path : `${directory.replace(/\/+$/, '')}/${path}`
    const named = values(...files.split(' ')).filter((path) => path !== '-' && path !== '')
    const last = [...operands, ...values('--url')].filter(isUrl).map((url) => baseOf(url.replace(/[?#].*$/, '')))
    const found = [...named, ...(named.length === 0 && isNamedByAddress(has) ? last : [])].map((path) => ({
      path: within(path),
      flow: flow('network'),
    }))
    // What the address is cannot be seen: whatever lies there may be it.
    const isOpen =
      directory !== undefined &&
      named.length === 0 &&
      last.every((each) => each === '' || /[\u{E000}-\u{E009}]/u.test(each))
    return isOpen ? [...found, { path: directory, flow: flow('network'), isDirectory: true }] : found
  }

const transfer: Learn = ({ args }) => {
  const { operands } = given(args, '-i -P -F -o -c -l -S -J -e --rsh --exclude --include --filter')
  const target = operands.at(-1)
  if (target === undefined || isRemote(target)) return []
  const sources = operands.slice(0, -1).filter(isRemote)
  return sources.flatMap((source) =>
    [target, inDirectory(target, source.replace(/^.*:/, ''))].map((path) => ({ path, flow: flow('network') })),
  )
}

/** A whole repository from elsewhere. */
const cloning: Learn = ({ name, args }) => {
  const { operands } = given(
    args,
    '-b --branch --depth -o --origin -c --config --reference -j --jobs --filter -C -r --revision',
  )
  const at = operands.findIndex((each) => ['clone', 'checkout', 'co', 'export'].includes(each))
  const [address, directory] = name === 'degit' ? operands : at < 0 ? [] : operands.slice(at + 1)
  if (address === undefined || !(isUrl(address) || isRemote(address) || name === 'degit' || name === 'gh')) return []
  return [{ path: directory ?? baseOf(address).replace(/\.git$/, ''), flow: flow('network'), isDirectory: true }]
}

/** What was fetched is fetched still when it is unpacked, where it is said to which directory. */
const unpacking: Learn = (call) => {
  const { values, operands } = given(call.args, '-C -d -f -o --directory --file')
  const archives = [...values('-f', '--file'), ...operands].map((path) => contentOf(path, call))
  const content = [call.input, ...archives].find(({ from }) => from.has('network') || from.has('decoded'))
  const directories = [
    ...values('-C', '-d', '--directory'),
    ...call.args.flatMap((arg) => (/^-o./.test(arg) ? [arg.slice(2)] : [])),
  ]
  return content === undefined
    ? []
    : directories
        .filter((path) => placeOf(path, call.cwd) !== 'repository')
        .map((path) => ({ path, flow: { from: content.from }, isDirectory: true }))
}

const uncompressing: Learn = (call) =>
  given(call.args).operands.flatMap((path) =>
    /\.\w+$/.test(path) ? [{ path: path.replace(/\.\w+$/, ''), flow: { from: contentOf(path, call).from } }] : [],
  )

/** `-o FILE`, or what else its output goes to by its own doing. */
const outputTo =
  (names: string, operand?: number): Learn =>
  ({ args }, output) => {
    const { values, operands } = given(args, names)
    return [...values(...names.split(' ')), ...(operand === undefined ? [] : operands.slice(operand, operand + 1))].map(
      (path) => ({ path, flow: output }),
    )
  }

const rows: Readonly<Record<string, Learn>> = {
  'tee sponge': ({ args, input }) => given(args).operands.map((path) => ({ path, flow: input })),
  dd: (call) => {
    const [source, target] = ['if=', 'of='].map((key) => call.args.find((arg) => arg.startsWith(key))?.slice(3))
    return target === undefined
      ? []
      : [{ path: target, flow: source === undefined ? call.input : contentOf(source, call) }]
  },
  'cp mv install ln gcp ginstall': copying,
  curl: fetching(
    '-o --output',
    '--output-dir',
    (has) => has('-O', '--remote-name', '--remote-name-all', '-J'),
    '-H -X -d -u -A -e -b -c -w -m --url',
  ),
  'wget wget2': fetching('-O --output-document', '-P --directory-prefix', () => true, '-o -a -U -t -T -e'),
  'aria2c axel': fetching('-o --out --output', '-d --dir', () => true),
  'http https xh': fetching('-o --output', '', (has) => has('-d', '--download')),
  'scp rsync sftp rclone gsutil aws': transfer,
  'git gh svn hg degit': cloning,
  'tar bsdtar unzip 7z 7za': unpacking,
  'gunzip bunzip2 unxz unzstd gzip bzip2 xz zstd': uncompressing,
  'base64 uudecode sort gpg age': outputTo('-o --output'),
  openssl: outputTo('-out'),
  xxd: outputTo('-c -s -l -g', 1),
}

const table = new Map(
  Object.entries(rows).flatMap(([names, learn]) => names.split(' ').map((name) => [name, learn] as const)),
)
