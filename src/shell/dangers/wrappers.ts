// Programs that run what their arguments say: which commands and scripts that are.

import type { Call } from './call.ts'
import { marks } from './marks.ts'
import { given } from './options.ts'

export type Inner =
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly env?: ReadonlyMap<string, string> }
  | { readonly kind: 'script'; readonly text: string }

type Unwrap = (args: readonly string[], call: Call) => readonly Inner[]

const command = (words: readonly string[], env?: ReadonlyMap<string, string>): Inner[] =>
  words.length === 0 ? [] : [{ kind: 'command', words, ...(env === undefined ? {} : { env }) }]
const script = (text: string | undefined): Inner[] => (text === undefined || text === '' ? [] : [{ kind: 'script', text }])

/** What follows the options. */
function rest(args: readonly string[], valued = ''): readonly string[] {
  const withValue = new Set(valued.split(' '))
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') return args.slice(at + 1)
    if (!arg.startsWith('-') || arg === '-') return args.slice(at)
    if (withValue.has(arg)) at += 1
  }
  return []
}

/** Options, so many operands of its own, then the command. */
const wrapper =
  (valued = '', own = 0): Unwrap =>
  (args) =>
    command(rest(args, valued).slice(own))

/** Options, so many operands, then words that a shell takes for a script. */
const scripted =
  (valued = '', own = 0): Unwrap =>
  (args) =>
    script(rest(args, valued).slice(own).join(' '))

const assignment = /^([A-Za-z_]\w*)=(.*)$/s

const env: Unwrap = (args) => {
  const strings = given(args, '-u --unset -C --chdir -S --split-string').values('-S', '--split-string')
  const words = rest(args, '-u --unset -C --chdir -S --split-string')
  const first = words.findIndex((word) => !assignment.test(word))
  const pairs = (first < 0 ? words : words.slice(0, first)).map((word): [string, string] => {
    const [, name = '', value = ''] = assignment.exec(word) ?? []
    return [name, value]
  })
  return [...strings.flatMap(script), ...command(first < 0 ? [] : words.slice(first), new Map(pairs))]
}

/** What xargs reads becomes arguments: known where it is, else something. */
const xargs: Unwrap = (args, { input }) => {
  const valued = '-I -n -P -L -d -s -a -E --max-args --max-procs --replace --delimiter'
  const words = rest(args, valued)
  const read = input.text === undefined ? [marks.some] : input.text.split(/[\s\0]+/).filter((each) => each !== '')
  const [mark] = given(args, valued).values('-I', '--replace')
  if (mark === undefined) return command([...words, ...(words.length === 0 ? [] : read)])
  return read.flatMap((each) => command(words.map((word) => word.replaceAll(mark === '' ? '{}' : mark, each))))
}

/** The command of each -exec, with what was found below each of the places that are searched. */
const find: Unwrap = (args) => {
  const roots = args.slice(0, args.findIndex((arg) => /^[-(!]/.test(arg)) + 1 || undefined).filter((arg) => !/^[-(!]/.test(arg))
  const inner: Inner[] = []
  for (const [at, arg] of args.entries()) {
    if (!['-exec', '-execdir', '-ok', '-okdir'].includes(arg)) continue
    const end = args.findIndex((each, index) => index > at && (each === ';' || each === '+'))
    const words = args.slice(at + 1, end < 0 ? undefined : end)
    for (const root of roots.length === 0 ? ['.'] : roots)
      inner.push(...command(words.map((word) => word.replaceAll('{}', `${root.replace(/\/+$/, '')}/${marks.some}`))))
  }
  return inner
}

/** What a shell is told by `-c`, or else reads. `-s` reads although there are arguments. */
const shell: Unwrap = (args, { input }) => {
  const [first] = args
  const { operands, has } = given(args, '-o -O --rcfile --init-file')
  const at = args.findIndex((arg) => /^[-+][a-zA-Z]*c[a-zA-Z]*$/.test(arg))
  if (at >= 0 && args.slice(0, at).every((arg) => /^[-+]/.test(arg) || ['pipefail', 'errexit', 'nounset'].includes(arg)))
    return script(args.slice(at + 1).find((arg) => !/^[-+]\w+$/.test(arg)))
  return first === undefined || operands.length === 0 || has('-s') ? script(input.text) : []
}

const su: Unwrap = (args) => given(args, '-c --command -s --shell -u --user -g').values('-c', '--command').flatMap(script)

const git: Unwrap = (args) => {
  const settings = given(args, '-c -C --git-dir --work-tree --exec-path').values('-c')
  const at = args.findIndex((arg) => ['foreach', 'run', '--exec', '-x'].includes(arg) || arg.startsWith('--exec='))
  const inner = settings
    .flatMap((each) => /^(?:alias\.[^=]*=!|core\.(?:editor|pager|sshcommand|fsmonitor)=|sequence\.editor=|diff\.external=)(.*)$/is.exec(each)?.[1] ?? [])
    .flatMap(script)
  const alias = /^alias\./i.test(args.find((arg) => /^alias\./i.test(arg)) ?? '')
    ? args.filter((arg) => arg.startsWith('!')).flatMap((arg) => script(arg.slice(1)))
    : []
  if (at < 0) return [...inner, ...alias]
  const word = args[at] ?? ''
  const follows = args.slice(at + 1)
  if (word.startsWith('--exec=')) return [...inner, ...script(word.slice('--exec='.length))]
  if (word === '--exec' || word === '-x') return [...inner, ...(args.includes('rebase') ? script(follows[0]) : [])]
  if (word === 'foreach' && args.includes('submodule')) return [...inner, ...script(rest(follows).join(' '))]
  return [...inner, ...(word === 'run' && args.includes('bisect') ? command(follows) : [])]
}

/** `npx PROGRAM …`, `npx -c 'script'`. */
const runner: Unwrap = (args) => [
  ...given(args, '-c --call -p --package').values('-c', '--call').flatMap(script),
  ...command(rest(args, '-p --package -c --call')),
]
const packageManager: Unwrap = (args) => (['exec', 'x', 'dlx'].includes(args[0] ?? '') ? runner(args.slice(1), undefined as never) : [])

/** `alias x='…'`: it runs where the alias is used, if anywhere. */
const alias: Unwrap = (args, { env: set }) => [...set.values(), ...args.flatMap((arg) => assignment.exec(arg)?.[2] ?? [])].flatMap(script)

/** A shell command in the language of an interpreter, where it is written as one text. */
const code: Unwrap = (args) =>
  [...args.join('\n').matchAll(/\b(?:system|popen|exec|execSync|spawnSync|check_call|check_output|run|call|getoutput)\s*\(\s*(["'`])(.*?)\1/gs)].flatMap(
    ([, , text]) => script(text),
  )

const tar: Unwrap = (args) => args.flatMap((arg) => script(/^--(?:to-command|use-compress-program|checkpoint-action=exec)=(.*)$/s.exec(arg)?.[1]))

const table: Readonly<Record<string, Unwrap>> = {
  alias,
  tar,
  'python python3 perl ruby node deno bun awk gawk mawk php lua': code,
  'sudo doas pkexec': wrapper('-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir'),
  'su runuser': su,
  env,
  'nohup setsid time gtime builtin exec eatmydata caffeinate busybox toybox catchsegv dbus-run-session xvfb-run fakeroot firejail then': wrapper('-a -f -o'),
  command: (args) => (/^-[vV]+$/.test(args[0] ?? '') ? [] : command(rest(args))),
  nice: wrapper('-n --adjustment'),
  ionice: wrapper('-c -n -p'),
  'timeout gtimeout': wrapper('-k -s --kill-after --signal', 1),
  'stdbuf unbuffer': wrapper('-i -o -e --input --output --error'),
  'taskset chrt faketime chroot': wrapper('', 1),
  'strace ltrace': wrapper('-o -e -p -s -u'),
  'unshare nsenter systemd-run prlimit': wrapper('-u -p -S -R -w -t --unit --uid'),
  xargs,
  find,
  'fd fdfind': (args) => args.flatMap((arg, at) => (['-x', '-X', '--exec', '--exec-batch'].includes(arg) ? command(args.slice(at + 1)) : [])),
  'sh bash dash zsh ksh ash mksh fish rbash': shell,
  eval: (args) => script(args.join(' ')),
  trap: (args) => (args.length > 1 && args[0] !== '-' ? script(args[0]) : []),
  'watch entr': scripted('-n -d -t -g -x --interval'),
  'parallel rush': scripted('-j -N -n -I -a --jobs --colsep --delay --timeout --retries --results --joblog'),
  script: (args) => given(args, '-c --command -a -f -q').values('-c', '--command').flatMap(script),
  flock: (args) => [
    ...given(args, '-c --command -w --timeout -E').values('-c', '--command').flatMap(script),
    ...command(
      rest(args, '-w --timeout -E -c')
        .slice(1)
        .filter((_, at, all) => !(at === 0 && all[0]?.startsWith('-') === true)),
    ),
  ],
  'ssh autossh': scripted('-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w', 1),
  'npx bunx pnpx': runner,
  'npm pnpm yarn': packageManager,
  'tmux screen': (args) =>
    script(
      rest(args, '-s -n -c -S -t -L')
        .filter((arg) => !/^(new|new-session|new-window|neww|send-keys|-\w+|Enter|C-m)$/.test(arg))
        .join(' '),
    ),
  git,
}

const unwrappers = new Map(Object.entries(table).flatMap(([names, unwrap]) => names.split(' ').map((name) => [name, unwrap] as const)))

/** Commands and scripts that a call would run in turn. */
export const innerOf = (call: Call): readonly Inner[] => unwrappers.get(call.name)?.(call.args, call) ?? []
