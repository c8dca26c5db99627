// Programs with a command in one of their options, and variables that a program takes for a command.

import { given } from '../options.ts'
import type { Call } from '../call.ts'
import { command, inOption, script, scripted, type Inner, type Unwrap, type Unwraps } from './inner.ts'

/** `-o Name=value`: some of them are commands. */
const secureShell: Unwrap = (args) =>
  given(args, '-o -S -D -i -F -P -p -l -c -J')
    .values('-o')
    .flatMap((each) =>
      script(/^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)[\s=]+(.*)$/is.exec(each)?.[1]),
    )
const copied: Unwrap = (args, call) => [
  ...secureShell(args, call),
  ...given(args, '-S -o -i -F -P -l -c -J -D')
    .values('-S')
    .flatMap((program) => command([program])),
]

/** In old style the letters have no dash, and their values follow in their order. */
const tar: Unwrap = (args, call) => {
  const [letters = ''] = args
  const isOld = /^[a-zA-Z]{2,}$/.test(letters)
  const at = isOld ? [...letters].filter((letter) => /[fICbgHKLNTVX]/.test(letter)).indexOf('I') : -1
  return [
    ...(at < 0 ? [] : script(args[at + 1])),
    ...inOption(
      '-I --use-compress-program --to-command --info-script --new-volume-script --rsh-command -F',
      '-f -C -T -X -b -H -K -N -V',
    )(isOld ? args.slice(1) : args, call),
    ...args.flatMap((arg, index) =>
      script(
        /^(?:--checkpoint-action=)?exec=(.*)$/s.exec(arg)?.[1] ??
          (arg === '--checkpoint-action' ? /^exec=(.*)$/s.exec(args[index + 1] ?? '')?.[1] : undefined),
      ),
    ),
  ]
}

/** `!command`, as editors and debuggers have it. */
const shouted: Unwrap = (args, { input }) =>
  [...args, ...(input.text ?? '').split('\n')].flatMap((arg) =>
    script(/^(?:[-+]c?|--cmd|:)*\s*(?:silent!?\s+)?(?:!|shell\s|system\(["'])\s*(.*?)(?:["']\))?$/s.exec(arg)?.[1]),
  )

/** What a makefile on the command line says. */
const make: Unwrap = (args, call) => [
  ...args.flatMap((arg) => script(/^(?:SHELL|\.SHELLFLAGS|CC|CXX|RM)=(.*)$/s.exec(arg)?.[1])),
  ...given(args, '--eval -E')
    .values('--eval', '-E')
    .flatMap((text) =>
      [...text.matchAll(/\$\(shell (.*)\)|[:;\t]\s*([^:;]+)$/g)].flatMap(([, first, second]) =>
        script(first ?? second),
      ),
    ),
  ...(given(args, '-f --file --makefile').values('-f', '--file', '--makefile').includes('-')
    ? recipesOf(call.input.text ?? '')
    : []),
]
const recipesOf = (text: string): Inner[] =>
  [...text.matchAll(/^\t[@+-]*(.*)$|;(.*)$/gm)].flatMap(([, line, one]) => script(line ?? one))

export const inOptions: Unwraps = {
  'ssh autossh sftp': secureShell,
  'ssh autossh': scripted('-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w', 1),
  scp: copied,
  rsync: inOption('-e --rsh --rsync-path', '-f --exclude --include --filter'),
  tar,
  bsdtar: inOption('--use-compress-program', '-f -C'),
  zip: inOption('-TT --unzip-command'),
  'man less': inOption('-P --pager -H --html', '-M -S -L -m -r -C -R -E'),
  sort: inOption('--compress-program', '-k -t -o -S -T'),
  split: inOption('--filter', '-a -b -C -l -n'),
  'nodemon watchexec chokidar': inOption('-x --exec -c --command', '-w --watch -e --ext -i --ignore --delay'),
  'make gmake bmake': make,
  'vim vi nvim view ex ed gdb lldb less more': shouted,
  'gdb lldb': inOption('-ex -eval-command -o', '-p -x'),
  'start-stop-daemon': (args) =>
    command(given(args, '-x --exec -a --startas').values('-x', '--exec', '-a', '--startas')),
  'dpkg apt apt-get': (args) => args.flatMap((arg) => script(/::(?:Pre|Post)-Invoke::?=(.*)$/s.exec(arg)?.[1])),
}

/** Variables that say which program to start. */
const programs =
  /^(GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND)|EDITOR|VISUAL|FCEDIT|PAGER|MANPAGER|SYSTEMD_PAGER|AWS_PAGER|GH_PAGER|GH_EDITOR|BROWSER|GH_BROWSER|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|RSYNC_RSH|CVS_RSH|SVN_SSH|PROMPT_COMMAND|SVN_EDITOR|HGEDITOR|KUBE_EDITOR|TAR_OPTIONS|MAKEFLAGS|RUSTC_WRAPPER|CMAKE_.*_LAUNCHER)$/

export function inVariables({ env }: Call): Inner[] {
  const inner: Inner[] = []
  for (const [name, value] of env) {
    if (!programs.test(name)) continue
    if (name === 'TAR_OPTIONS') inner.push(...command(['tar', ...value.split(/\s+/)], new Map()))
    else if (name === 'MAKEFLAGS') inner.push(...command(['make', ...value.split(/\s+/)], new Map()))
    else inner.push(...script(value.replace(/^\|-?/, '')))
  }
  return inner
}
