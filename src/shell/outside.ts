// Whether a command that only reads may read more than files of the repository: what it prints can be published, so this decides whether it
// may run unasked. Strict, and a table: only plain relative paths are inside. What is computed when it runs, the environment, the home directory,
// the Git directory and every program that is not in the table are outside. Whether the command writes is for classify.ts to say.

import { literalArgument, type Argument } from './argument.ts'
import { forEachChild, parseShell, type SyntaxNode, type Word, type WordPart } from './parse.ts'
import { readsByRegistry, registryOf, type Registry, type SafetyEntry } from './registry.ts'
import { excerpt } from './verdict.ts'
import { argumentOf } from './words.ts'

const all = (names: string, refused: RegExp): [string, RegExp][] => names.split(' ').map((name) => [name, refused])

/** Options that take the names of files from a file, which may hold any; GNU's programs take the beginning of an option for all of it. */
const listed = /^--f/
/** Programs that read the files that they are given and nothing else, and arguments with which they read more. */
const readers = new Map<string, RegExp>([
  ...all('ls cat grep egrep fgrep head tail wc test [ sort cmp comm paste stat du tree cut uniq nl tr sed', listed),
  // Into the Git directory.
  ['rg', /^--(f|hid|no-ig|unr)|^-[a-zA-Z]*[u.]/],
  ['diff', /^--(f|rec)|^-[a-zA-Z]*r/],
  ...all('echo printf true false : pwd basename dirname', listed),
  ...all('sha1sum sha256sum sha512sum md5sum', /^-[a-z]*c|^--c/),
  ['find', /^-(exec|ok|files0-from)/],
  ['file', /^-[A-Za-z]*[fm]|^--(f|m)/],
])

/** What a person put aside, or moved away from, is private; and so is what no branch names. */
const privateRefs = /stash|plan-local|@\{|^-g$|^--(all|refl|walk|glob|no-i|unt)/

const gitReaders =
  /^(log|status|diff|show|ls-files|ls-tree|grep|blame|rev-parse|describe|branch|cat-file|for-each-ref|shortlog|merge-base|rev-list)$/

/** Whose children alone say where it reads. */
const structure = new Set<string>(
  'Script CompoundList Statement Pipeline Negation AndOr Redirected Redirect HereString FileDescriptor Subshell BraceGroup If Elif TestCommand TestGroup TestBinary TestUnary TestLogical TestNot'.split(
    ' ',
  ),
)

/** What of it may be outside, in a few words; undefined where all of it is inside. */
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
    const secret = args.find(({ text, literal }) => privateRefs.test(literal ?? text))
    return gitReaders.test(command) && secret === undefined ? undefined : excerpt(`git ${secret?.text ?? command}`)
  }
  if (/^[ef]?grep$/.test(name) && isWholeTree(args)) return excerpt(`${name} of everything`)
  const refused = readers.get(name)
  if (refused === undefined) return excerpt(name)
  const arg = args.find(({ text, literal }) => refused.test(literal ?? text))
  return arg === undefined ? undefined : excerpt(`${name} ${arg.text}`)
}

/** A search through all directories below the first one goes into the Git directory, too. */
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

/** As it is written without its quotes, patterns included; undefined where something is put in. */
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
  // `-f/etc/x` is an option with a path; of `--file=x` the value is looked at.
  const [, option, given = value] = /^(--[a-z0-9-]+=|-)(.*)$/s.exec(value) ?? []
  if (option === '-' && given.includes('/')) return true
  return (
    // Absolute, wherever in the word it begins: `a:/b`, `=/b`, `,/b`.
    /(^|[^\p{L}\p{N}_.@+%*?\]-])\//u.test(given) ||
    /(^|[=:,])~/.test(given) ||
    /(^|[^\p{L}\p{N}_.])\.\.(\/|$)/u.test(given) ||
    // `.*` matches `..` in most shells.
    /(^|[/=:,])\.[^/]*[*?[]/.test(given) ||
    /(^|[/=:,])\.git(\/|$)/i.test(given)
  )
}
