// Checks that a command's references exist when it runs: scripts of the repository, scripts of package.json, programs.

import { callsOf, type Call } from '../../shell/calls.ts'
import type { RepositoryFacts } from '../repository-facts.ts'
import type { SimulatedTree } from '../rehearsal.ts'
import type { Problem } from './targets.ts'

export interface Reference extends Problem {
  readonly severity: 'error' | 'warning'
  /** Offset in the command. */
  readonly at: number
}

/** Programs that take a script as their first argument. */
const interpreters = new Set([
  'bash',
  'sh',
  'dash',
  'zsh',
  'node',
  'python',
  'python3',
  'ruby',
  'perl',
  'php',
  'tsx',
  'ts-node',
  'source',
  '.',
])
/** Runners that accept only scripts of package.json: `yarn run` and `bun run` also accept programs and files. */
const runners: Readonly<Record<string, readonly string[]>> = { npm: ['run', 'run-script'], pnpm: ['run'] }
/** Names that npm knows without a script. */
const ownScripts = new Set(['env', 'start', 'restart'])

const builtins = new Set(
  `. : [ alias bg bind break builtin case cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history if jobs kill let local
   logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset until wait while`.split(
    /\s+/,
  ),
)

/** `tools`: programs that were already looked up. */
export async function references(
  command: string,
  tree: SimulatedTree,
  repository: RepositoryFacts,
  tools: Set<string>,
): Promise<Reference[]> {
  const { calls, functions } = callsOf(command)
  // After `cd`, paths are relative to a directory that only the shell knows.
  const isHere = !calls.some(({ program }) => ['cd', 'pushd', 'chroot'].includes(program))
  const found: Reference[] = []
  for (const [index, call] of calls.entries()) {
    // An earlier call may have created it, or checked whether it exists.
    const severity = index === 0 ? 'error' : 'warning'
    const script = isHere ? scriptOf(call) : undefined
    if (script !== undefined && (await isMissing(script, call, tree, repository)))
      found.push({
        rule: 'file-missing',
        severity,
        message: `${script} does not exist when ${call.program === script || call.program === `./${script}` ? 'it is called' : `${call.program} runs it`}`,
        advice: 'correct the path, or let an earlier step create the file',
        at: call.at,
      })
    const missing = isHere ? await missingScript(call, tree) : undefined
    if (missing !== undefined) found.push({ ...missing, severity, at: call.at })
    if (
      call.program.includes('/') ||
      builtins.has(call.program) ||
      functions.has(call.program) ||
      tools.has(call.program)
    )
      continue
    tools.add(call.program)
    if (await repository.hasTool(call.program)) continue
    found.push({
      rule: 'tool-missing',
      severity: 'warning',
      message: `${call.program} is not on PATH here`,
      advice: `install it where the plan runs, and name it: \`requires: [${call.program}]\``,
      at: call.at,
    })
  }
  return found
}

/** The script of the repository that a call runs, relative to the top. */
function scriptOf({ program, args }: Call): string | undefined {
  if (program.includes('/')) return pathInside(program)
  const [first] = args
  if (!interpreters.has(program) || first?.literal === undefined || first.literal.startsWith('-')) return undefined
  return /[/.]/.test(first.literal) ? pathInside(first.literal) : undefined
}

/** Extensions that node adds by itself. */
const nodeEndings = ['.js', '.cjs', '.mjs', '.json', '.node']

/**
 * An ignored file is in no commit but may exist: built, installed or written by hand. Files behind a symlink or in
 * another repository cannot be seen.
 */
async function isMissing(
  script: string,
  { program }: Call,
  tree: SimulatedTree,
  repository: RepositoryFacts,
): Promise<boolean> {
  for (const path of [script, ...(program === 'node' ? nodeEndings.map((ending) => `${script}${ending}`) : [])])
    if ((await tree.kind(path)) !== 'absent') return false
  for (let end = script.indexOf('/'); end > 0; end = script.indexOf('/', end + 1))
    if (!['absent', 'directory'].includes((await tree.kind(script.slice(0, end))) ?? '')) return false
  return (await repository.obstacle(script)) === undefined && !(await repository.isIgnored(script))
}

function pathInside(text: string): string | undefined {
  const path = text.replace(/^(\.\/+)+/, '')
  return path === '' ||
    path.startsWith('/') ||
    path.startsWith('~') ||
    path.split('/').some((part) => ['', '.', '..', '.git', 'node_modules'].includes(part))
    ? undefined
    : path
}

async function missingScript({ program, args }: Call, tree: SimulatedTree): Promise<Problem | undefined> {
  const words = args.map(({ literal }) => literal)
  const isRun = runners[program]?.includes(words[0] ?? '') === true
  const name = isRun ? words[1] : program === 'npm' && words[0] === 'test' ? 'test' : undefined
  if (
    name === undefined ||
    /^[-/]/.test(name) ||
    ownScripts.has(name) ||
    words.some((word) => word === undefined || /^(-w|-C|--(prefix|workspace|filter|dir|cwd|if-present))/.test(word))
  )
    return undefined
  const scripts = scriptsIn(await tree.read('package.json'))
  if (scripts === undefined || Object.hasOwn(scripts, name)) return undefined
  return {
    rule: 'script-missing',
    message: `package.json has no script ${JSON.stringify(name)}`,
    advice: `its scripts: ${Object.keys(scripts).slice(0, 20).join(', ') || 'none'}`,
  }
}

function scriptsIn(bytes: Uint8Array | undefined): Readonly<Record<string, unknown>> | undefined {
  if (bytes === undefined) return undefined
  try {
    const { scripts = {} } = JSON.parse(new TextDecoder().decode(bytes)) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? (scripts as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
