// Tells whether a reading command may read more than files of the repository. Its output can be published, so this
// decides whether it may run without approval. Only simple relative paths are inside. Computed paths, the environment,
// the home directory, the Git directory and every program that is not in the table are outside. classify.ts decides
// whether the command writes.

import { literalArgument, type Argument } from './argument.ts'
import { forEachChild, parseShell, type SyntaxNode, type Word, type WordPart } from './parse.ts'
import { readsByRegistry, registryOf, type Registry, type SafetyEntry } from './registry.ts'
import { excerpt } from './verdict.ts'
import { argumentOf } from './words.ts'

const all = (names: string, refused: RegExp): [string, RegExp][] => names.split(' ').map((name) => [name, refused])

/** Options that read file names from a file, which may name any file; GNU programs accept abbreviated options. */
const listed = /^--f/
/** Programs that read only the files that they are given, with the arguments that make them read more. */
const readers = new Map<string, RegExp>([
  ...all('ls cat grep egrep fgrep head tail wc test [ sort cmp comm paste stat du tree cut uniq nl tr sed', listed),
  // These also read the Git directory.
  ['rg', /^--(f|hid|no-ig|unr)|^-[a-zA-Z]*[u.]/],
  ['diff', /^--(f|rec)|^-[a-zA-Z]*r/],
  ...all('echo printf true false : pwd basename dirname', listed),
  ...all('sha1sum sha256sum sha512sum md5sum', /^-[a-z]*c|^--c/),
  ['find', /^-(exec|ok|files0-from)/],
  ['file', /^-[A-Za-z]*[fm]|^--(f|m)/],
])

/** Stashed changes, earlier states and objects without a branch are private. */
const privateRefs = /stash|plan-local|@\{|^-g$|^--(all|refl|walk|glob|no-i|unt)/

const gitReaders = new Set(
  `log status diff show ls-files ls-tree grep blame rev-parse describe branch cat-file for-each-ref shortlog merge-base
  rev-list`.split(/\s+/),
)

/** These print contents of revisions. Unpushed branches are private, and any plain word may name one. */
const revisionReaders = new Set('log show diff grep blame cat-file ls-tree rev-list shortlog'.split(' '))
/** Revisions that are on the remote are not private. */
const head = /^(HEAD|(refs\/remotes\/)?origin\/[\w./-]+)([~^]\d*)*(:.*)?$/
const isOwnRevision = (word: string): boolean => word.split(/\.{2,3}/).every((end) => end === '' || head.test(end))

/** The first word that may name a revision other than HEAD and its ancestors; paths come after `--`. */
function otherRevision(command: string, args: readonly Argument[]): string | undefined {
  if (!revisionReaders.has(command)) return undefined
  const words = args.map(({ text, literal }) => literal ?? text)
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const listing = own.find((word) => command === 'cat-file' && word.startsWith('--b'))
  if (listing !== undefined) return listing
  const operands = own.filter((word) => !word.startsWith('-'))
  // The first operand of grep is a pattern, unless an option gives it.
  const isPattern = command === 'grep' && !own.some((word) => /^-[a-zA-Z]*[ef]/.test(word))
  return operands.slice(isPattern ? 1 : 0).find((word) => !/^\d{1,4}$/.test(word) && !isOwnRevision(word))
}

/** Nodes that read nothing themselves: only their children matter. */
const structure = new Set<string>(
  `Script CompoundList Statement Pipeline Negation AndOr Redirected Redirect HereString FileDescriptor Subshell
  BraceGroup If Elif TestCommand TestGroup TestBinary TestUnary TestLogical TestNot`.split(/\s+/),
)

/** An excerpt of the part that may be outside; undefined if everything is inside. */
export function readsOutside(text: string, safety: readonly SafetyEntry[] = []): string | undefined {
  const parsed = parseShell(text)
  if ('problem' in parsed) return parsed.problem
  const registry = registryOf(safety)
  const outsideOf = (node: SyntaxNode): string | undefined => {
    if (node.type === 'Word') return outsideWord(node)
    if (node.type !== 'Command' && !structure.has(node.type)) return excerpt(text.slice(node.pos, node.end))
    let found: string | undefined
    forEachChild(node, (child) => {
      found ??= outsideOf(child)
    })
    const program =
      node.type === 'Command' && node.name !== undefined ? [node.name, ...node.suffix].flatMap(wordArgument) : undefined
    return found ?? (program === undefined ? undefined : outsideProgram(program, registry))
  }
  return outsideOf(parsed.script)
}

const wordArgument = (node: SyntaxNode): Argument[] => (node.type === 'Word' ? [argumentOf(node)] : [])

function outsideProgram([first, ...args]: readonly Argument[], registry: Registry): string | undefined {
  const name = first?.literal ?? ''
  if (readsByRegistry(registry, [literalArgument(name), ...args])) return undefined
  if (name === 'git') {
    const [command = ''] = args.flatMap(({ literal }) => (literal === '--no-pager' ? [] : [literal ?? '']))
    const rest = args.slice(args.findIndex(({ literal }) => literal === command) + 1)
    const secret =
      args.find(({ text, literal }) => privateRefs.test(literal ?? text))?.text ?? otherRevision(command, rest)
    return gitReaders.has(command) && secret === undefined ? undefined : excerpt(`git ${secret ?? command}`)
  }
  if (/^[ef]?grep$/.test(name) && isWholeTree(args)) return excerpt(`${name} of everything`)
  const refused = readers.get(name)
  if (refused === undefined) return excerpt(name)
  const arg = args.find(({ text, literal }) => refused.test(literal ?? text))
  return arg === undefined ? undefined : excerpt(`${name} ${arg.text}`)
}

/** A recursive search from the top also reads the Git directory. */
function isWholeTree(args: readonly Argument[]): boolean {
  const words = args.map(({ text, literal }) => literal ?? text)
  if (!words.some((word) => /^-[a-zA-Z]*[rRd]|^--(rec|deref|dir)/.test(word))) return false
  const [, ...paths] = words.filter((word) => !word.startsWith('-'))
  return (
    words.some((word) => /^-[a-zA-Z]*[ef]|^--(reg|f)/.test(word)) ||
    paths.length === 0 ||
    paths.some((path) => /^[./]*$/.test(path))
  )
}

function outsideWord(word: Word): string | undefined {
  const value = word.parts === undefined ? word.value : valueOf(word.parts)
  return value === undefined || argumentOf(word).fields === 'any' || isOutside(value) ? excerpt(word.text) : undefined
}

/** The text without quotes, globs included; undefined if something is expanded. */
function valueOf(parts: readonly WordPart[]): string | undefined {
  const values = parts.map((part) => {
    if (part.type === 'Literal' || part.type === 'SingleQuoted') return part.value
    if (part.type === 'DoubleQuoted') return valueOf(part.parts)
    return part.type === 'Glob' && part.parts === undefined ? part.text : undefined
  })
  return values.every((value) => value !== undefined) ? values.join('') : undefined
}

function isOutside(value: string): boolean {
  if (value === '/dev/null') return false
  // `-f/etc/x` is an option with a path; in `--file=x` the value matters.
  const [, option, given = value] = /^(--[a-z0-9-]+=|-)(.*)$/s.exec(value) ?? []
  if (option === '-' && given.includes('/')) return true
  return (
    // An absolute path anywhere in the word: `a:/b`, `=/b`, `,/b`.
    /(^|[^\p{L}\p{N}_.@+%*?\]-])\//u.test(given) ||
    /(^|[=:,])~/.test(given) ||
    /(^|[^\p{L}\p{N}_.])\.\.(\/|$)/u.test(given) ||
    // `.*` matches `..` in most shells.
    /(^|[/=:,])\.[^/]*[*?[]/.test(given) ||
    /(^|[/=:,])\.git(\/|$)/i.test(given)
  )
}
