// Programs that run their arguments, as they are or as a script, with more or less around it.

import { given } from '../options.ts'
import {
  assigned,
  command,
  inOption,
  rest,
  script,
  scripted,
  scriptEach,
  wrapper,
  type Inner,
  type Unwrap,
  type Unwraps,
} from './inner.ts'

/** `uv run PROGRAM`, `bundle exec PROGRAM`: what follows one of these words, and its options. */
const after =
  (words: string, valued = '', own = 0): Unwrap =>
  (args, call) => {
    const at = args.findIndex((arg) => words.split(' ').includes(arg))
    // Options may stand before the word, and nothing else but their values.
    if (at < 0 || args.slice(0, at).filter((arg) => !arg.startsWith('-')).length > 1) return []
    const follows = args.slice(at + 1)
    const dashes = follows.indexOf('--')
    return [...wrapper(valued, own)(follows, call), ...(dashes > 0 ? command(follows.slice(dashes + 1)) : [])]
  }

/** `npx PROGRAM …`, `npx -c 'script'`. */
const npx: Unwrap = (args) => [
  ...given(args, '-c --call -p --package')
    .values('-c', '--call')
    .flatMap((text) => script(text)),
  ...command(rest(args, '-p --package -c --call -w --workspace')),
]

/** Programs of packages that are called by their name alone: `yarn rimraf x`. */
const ofPackages = new Set(
  'rimraf shx del-cli trash cross-env cross-env-shell dotenv concurrently env-cmd nodemon'.split(' '),
)
const managed: Readonly<Record<string, string>> = {
  npm: '--prefix -C -w --workspace --loglevel --script-shell',
  pnpm: '-C --dir --prefix -F --filter --filter-prod --workspace-concurrency --reporter --loglevel',
  yarn: '--cwd --from --include --exclude -j --jobs',
  bun: '--cwd -F --filter',
}

const packageManager: Unwrap = (args, call) => {
  let words = rest(args, managed[call.name])
  if (words[0] === 'workspace') words = words.slice(2)
  if (words[0] === 'workspaces' || words[0] === 'recursive' || words[0] === 'multi')
    words = rest(words.slice(words[1] === 'foreach' ? 2 : 1), managed[call.name])
  const [sub = '', ...own] = words
  if (['exec', 'x', 'dlx'].includes(sub)) return npx(own, call)
  if (sub === 'node' && call.name === 'yarn') return command(words)
  if (sub === 'run' && ofPackages.has(own[0] ?? '')) return command(own)
  // A script of package.json is a command that will run.
  if (sub === 'pkg' && own[0] === 'set')
    return own.slice(1).flatMap((each) => script(/^scripts\.[^=]*=(.*)$/s.exec(each)?.[1]))
  if (sub === 'set-script') return script(own[1])
  return ofPackages.has(sub) ? command(words) : []
}

const flock: Unwrap = (args) => {
  const [, ...words] = rest(args, '-w --timeout -E -c')
  const isScript = /^(-c|--command)$/.test(words[0] ?? '')
  return isScript ? script(words[1]) : command(words)
}

const tmux: Unwrap = (args) =>
  script(
    rest(args, '-s -n -c -S -t -L')
      .filter((arg) => !/^(new|new-session|new-window|neww|send-keys|-\w+|Enter|C-m)$/.test(arg))
      .join(' '),
  )

const architecture = /^(x86_64|i[3-6]86|linux(32|64)|aarch64|arm\w*|ppc\w*|s390\w*|uname26|riscv\w*)$/
/** The name of an architecture may be left out. */
const setarch: Unwrap = (args) => {
  const words = rest(args)
  return command(architecture.test(words[0] ?? '') ? rest(words.slice(1)) : words)
}

/** `script -c 'script' LOG`, and elsewhere `script LOG PROGRAM …`. */
const typescript: Unwrap = (args) => {
  const valued = '-c --command -I -O -B -T -E -m -o -t -F'
  return [
    ...inOption('-c --command', '-I -O -B -T -E -m -o -t')(args, undefined as never),
    ...command(rest(args, valued).slice(1)),
  ]
}

/** `sg GROUP -c 'script'`, `sg GROUP 'script'`; `su USER -c 'script'`. */
const asGroup: Unwrap = (args) => script(args.slice(1).find((arg) => arg !== '-c' && arg !== '-'))
const su: Unwrap = inOption('-c --command --session-command', '-s --shell -u --user -g -G -w')
const runuser: Unwrap = (args, call) => [
  ...su(args, call),
  ...(given(args, '-u --user').has('-u', '--user') ? command(rest(args, '-u --user -g -G -c -s')) : []),
]

/** Its prepared commands are scripts as well. */
const hyperfine: Unwrap = (args, call) => {
  const prepared = '-p --prepare -s --setup -c --cleanup -C --conclude --reference'
  const others =
    '-w --warmup -r --runs -m --min-runs -M --max-runs -P --parameter-scan -L --parameter-list -D -n --command-name -S --shell --input --output --export-json --export-markdown --export-csv --style -u --time-unit'
  return [...inOption(prepared, others)(args, call), ...scriptEach(`${prepared} ${others}`)(args, call)]
}

const nix: Unwrap = (args, call) =>
  args
    .flatMap((arg, at): readonly Inner[] =>
      ['-c', '--command', '--run'].includes(arg)
        ? args.length === at + 2
          ? script(args[at + 1])
          : command(args.slice(at + 1))
        : [],
    )
    .concat(args[0] === 'run' || args[0] === 'shell' ? after('--')(args, call) : [])

export const runners: Unwraps = {
  'sudo doas pkexec dzdo pfexec please run0': wrapper(
    '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --unit --property --description --slice --nice --setenv --background',
  ),
  su,
  runuser,
  'sg newgrp': asGroup,
  'gosu su-exec setuidgid chpst envuidgid envdir softlimit': wrapper('-u -U -e -o -m -d', 1),
  setpriv: wrapper(
    '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --selinux-label --apparmor-profile --pdeathsig',
  ),
  capsh: (args) =>
    given(args.slice(Math.max(args.indexOf('--'), 0) + 1), '-c')
      .values('-c')
      .flatMap((text) => script(text)),
  machinectl: after('shell', '-E --setenv --uid -M --machine', 1),
  'setsid nohup': wrapper(),
  'time gtime eatmydata caffeinate busybox toybox catchsegv dbus-run-session dbus-launch xvfb-run fakeroot firejail then chronic ifne torsocks proxychains proxychains4 rlwrap ssh-agent systemd-inhibit valgrind':
    wrapper('-f -o -e -s -n --what --who --why --mode'),
  nice: wrapper('-n --adjustment'),
  ionice: wrapper('-c -n -p'),
  'timeout gtimeout': wrapper('-k -s --kill-after --signal', 1),
  'stdbuf unbuffer': wrapper('-i -o -e --input --output --error'),
  'taskset chrt faketime chroot': wrapper('', 1),
  'strace ltrace': wrapper('-o -e -p -s -u -a -E -P -S'),
  perf: after('stat record trace', '-e -o -F -p -r -a -C'),
  'choom cpulimit numactl cgexec aa-exec runcon sshpass uclampset': wrapper('-n -l -p -e -g -P -f -u -r -t -m -N -C'),
  unshare: wrapper('-S -G -R -w --setuid --setgid --root --wd --map-user --map-group'),
  nsenter: wrapper('-t -S -G --target --setuid --setgid'),
  'systemd-run prlimit': wrapper(
    '-u -p -E -M -H --unit --uid --gid --slice --property --description --working-directory --setenv --pid',
  ),
  bwrap: (args) =>
    command(
      args.slice(
        Math.max(
          args.findIndex((arg, at) => at > 0 && /^(\/(usr\/)?bin\/)?(sh|bash|env|rm)$/.test(arg)),
          args.indexOf('--') + 1,
        ),
      ),
    ),
  ip: (args) => (args.includes('exec') ? command(args.slice(args.indexOf('exec') + 2)) : []),
  'setarch linux32 linux64 i386 x86_64': setarch,
  script: typescript,
  flock,
  'tmux screen': tmux,
  'npx bunx pnpx': npx,
  'uvx pipx': (args) =>
    command(rest(args[0] === 'run' ? args.slice(1) : args, '--from --with --python -p --spec --index-url')),
  'npm pnpm yarn bun': packageManager,
  'cross-env dotenv dotenvx env-cmd': (args) =>
    assigned(rest(args[0] === 'run' ? args.slice(1) : args, '-e -f -c -p -v -r --file --environments')),
  'cross-env-shell': scripted(),
  shx: (args) => command(args),
  'uv poetry pipenv pdm rye hatch pixi conda mamba micromamba doppler op infisical volta devbox': after(
    'run',
    '-n --name -p --prefix --cwd --with --with-requirements --python --directory --project --extra --group --env-file --package --index-url --config --env -e --environment -C --manifest-path --node',
  ),
  'bundle mise rtx rbenv pyenv asdf lerna composer nx fnm': after(
    'exec x',
    '--scope --ignore --concurrency --since --stream -C --cd --using --gemfile -j --jobs --duration -d',
  ),
  'direnv nvm': after('exec', '', 1),
  'aws-vault chamber': after('exec', '--duration -d', 1),
  sops: (args) => (/^exec-(env|file)$/.test(args[0] ?? '') ? script(rest(args.slice(1))[1]) : []),
  concurrently: (args, call) => {
    const valued =
      '-n --names -c --prefix-colors -p --prefix -l --prefix-length -t --timestamp-format -m --max-processes -s --success --restart-tries --restart-after --teardown --kill-signal'
    return [...inOption('--teardown')(args, call), ...scriptEach(valued)(args, call)]
  },
  'start-server-and-test mispipe wireit': scriptEach(),
  hyperfine,
  'nix nix-shell': nix,
  'guix onchange wait-on chokidar-cli': after('--'),
  'rush sem': scripted('-j -n -i -d --jobs'),
  'ld-linux-x86-64.so.2 ld-linux.so.2 ld-linux-aarch64.so.1 ld.so': wrapper('--library-path --preload --argv0'),
}
