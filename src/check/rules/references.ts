// What a command refers to is there when it runs: scripts of the repository, scripts of package.json, programs.

import { callsOf, type Call } from '../../shell/calls.ts'
import type { Look } from '../look.ts'
import type { ThoughtTree } from '../rehearsal.ts'
import type { Problem } from './targets.ts'

export interface Reference extends Problem {
  readonly severity: 'error' | 'warning'
  /** Where in the command. */
  readonly at: number
}

/** Programs that are given a script as their first word. */
const interpreters = new Set(['bash', 'sh', 'dash', 'zsh', 'node', 'python', 'python3', 'ruby', 'perl', 'php', 'tsx', 'ts-node', 'source', '.'])
const runners: Readonly<Record<string, readonly string[]>> = { npm: ['run', 'run-script'], pnpm: ['run'], yarn: ['run'], bun: ['run'] }

const builtins = new Set(
  `. : [ alias bg bind break builtin case cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history if jobs kill let local
   logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset until wait while`.split(
    /\s+/,
  ),
)

/** `tools`: programs that were looked for already. */
export async function references(command: string, tree: ThoughtTree, look: Look, tools: Set<string>): Promise<Reference[]> {
  const { calls, functions } = callsOf(command)
  // Paths after `cd` mean other files, and which ones only the shell knows.
  const isHere = !calls.some(({ program }) => ['cd', 'pushd', 'chroot'].includes(program))
  const found: Reference[] = []
  for (const call of calls) {
    const script = isHere ? scriptOf(call) : undefined
    if (script !== undefined && (await tree.kind(script)) === 'absent')
      found.push({
        rule: 'file-missing',
        severity: 'error',
        message: `${script} is not there when ${call.program === script || call.program === `./${script}` ? 'it is called' : `${call.program} is to run it`}`,
        advice: 'correct the path, or let an earlier step make the file',
        at: call.at,
      })
    const missing = isHere ? await missingScript(call, tree) : undefined
    if (missing !== undefined) found.push({ ...missing, at: call.at })
    if (call.program.includes('/') || builtins.has(call.program) || functions.has(call.program) || tools.has(call.program)) continue
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

function pathInside(text: string): string | undefined {
  const path = text.replace(/^(\.\/+)+/, '')
  return path === '' || path.startsWith('/') || path.startsWith('~') || path.split('/').some((part) => ['', '.', '..', '.git', 'node_modules'].includes(part))
    ? undefined
    : path
}

async function missingScript({ program, args }: Call, tree: ThoughtTree): Promise<Omit<Reference, 'at'> | undefined> {
  const words = args.map(({ literal }) => literal)
  const isRun = runners[program]?.includes(words[0] ?? '') === true
  const name = isRun ? words[1] : program === 'npm' && words[0] === 'test' ? 'test' : undefined
  if (
    name === undefined ||
    name.startsWith('-') ||
    words.some((word) => word === undefined || /^(-w|-C|--(prefix|workspace|filter|dir|cwd|if-present))/.test(word))
  )
    return undefined
  const scripts = scriptsIn(await tree.read('package.json'))
  if (scripts === undefined || Object.hasOwn(scripts, name)) return undefined
  return {
    rule: 'script-missing',
    severity: 'error',
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
