// What a command refers to is there when it runs: scripts of the repository, scripts of package.json, programs.

import { callsOf, type Call } from '../../shell/calls.ts'
import type { Look } from '../repository-facts.ts'
import type { ThoughtTree } from '../rehearsal.ts'
import type { Problem } from './targets.ts'

export interface Reference extends Problem {
  readonly severity: 'error' | 'warning'
  /** Where in the command. */
  readonly at: number
}

/** Programs that are given a script as their first word. */
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
/** Those that run nothing but scripts: `yarn run` and `bun run` take programs and files as well. */
const runners: Readonly<Record<string, readonly string[]>> = { npm: ['run', 'run-script'], pnpm: ['run'] }
/** What npm knows without a script. */
const ownScripts = new Set(['env', 'start', 'restart'])

const builtins = new Set(
  `. : [ alias bg bind break builtin case cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history if jobs kill let local
   logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset until wait while`.split(
    /\s+/,
  ),
)

/** `tools`: programs that were looked for already. */
export async function references(
  command: string,
  tree: ThoughtTree,
  look: Look,
  tools: Set<string>,
): Promise<Reference[]> {
  const { calls, functions } = callsOf(command)
  // Paths after `cd` mean other files, and which ones only the shell knows.
  const isHere = !calls.some(({ program }) => ['cd', 'pushd', 'chroot'].includes(program))
  const found: Reference[] = []
  for (const [index, call] of calls.entries()) {
    // What was called before it may have made it, or have looked whether it is there.
    const severity = index === 0 ? 'error' : 'warning'
    const script = isHere ? scriptOf(call) : undefined
    if (script !== undefined && (await isMissing(script, call, tree, look)))
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
    if (await look.hasTool(call.program)) continue
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

/** A script of the repository that a call runs, as a path from its top. */
function scriptOf({ program, args }: Call): string | undefined {
  if (program.includes('/')) return pathInside(program)
  const [first] = args
  if (!interpreters.has(program) || first?.literal === undefined || first.literal.startsWith('-')) return undefined
  return /[/.]/.test(first.literal) ? pathInside(first.literal) : undefined
}

/** Endings that node finds by itself. */
const nodeEndings = ['.js', '.cjs', '.mjs', '.json', '.node']

/**
 * What is ignored is in no commit, and may be there: it was built, installed or written by hand. What is behind a link
 * or in another repository is not seen.
 */
async function isMissing(script: string, { program }: Call, tree: ThoughtTree, look: Look): Promise<boolean> {
  for (const path of [script, ...(program === 'node' ? nodeEndings.map((ending) => `${script}${ending}`) : [])])
    if ((await tree.kind(path)) !== 'absent') return false
  for (let end = script.indexOf('/'); end > 0; end = script.indexOf('/', end + 1))
    if (!['absent', 'directory'].includes((await tree.kind(script.slice(0, end))) ?? '')) return false
  return (await look.obstacle(script)) === undefined && !(await look.isIgnored(script))
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

async function missingScript({ program, args }: Call, tree: ThoughtTree): Promise<Problem | undefined> {
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
