// Programs that run another program, and where it is in their arguments. Options are written as in ../options.ts.

export interface Runner {
  readonly usage?: string
  /** Number of its own operands before the command. */
  readonly own?: number
  /** The command follows one of these words: `uv run`, `bundle exec`. */
  readonly after?: string
  /** Meaning of the rest: a command by default, one script, several scripts, or nothing that is run. */
  readonly runs?: 'script' | 'scripts' | 'nothing'
  /** Options whose value is a script. */
  readonly scripts?: string
}

/** Runners with no effect besides their command. Options that write a file or name a program must not be listed. */
export const transparent: Readonly<Record<string, Runner>> = {
  timeout: { usage: '-v -k= -s= --foreground --preserve-status --kill-after= --signal= --verbose', own: 1 },
  nice: { usage: '-n= -# --adjustment=' },
  // The program, not the shell keyword: its -o writes a file.
  time: { usage: '-pv' },
  // -p would act on a running process.
  ionice: { usage: '-t -c= -n=' },
  stdbuf: { usage: '-i= -o= -e= --input= --output= --error=' },
}

export const xargsUsage = `-0rtx -a= --arg-file= -n= -P= -L= -I= -d= -s= --null --no-run-if-empty --max-args=
  --max-procs= --max-lines= --delimiter= --verbose`

const environment =
  '-n= --name= -p= --prefix= --cwd= --with= --python= --directory= --project= --extra= --env-file= -e='
const benchmark = '-w= --warmup= -r= --runs= -m= -M= -P= -L= -n= -S= --export-json= --export-markdown='

/** Runners with effects of their own, or that are not known well enough. A key may hold several names. */
const others: Readonly<Record<string, Runner>> = {
  'sudo doas pkexec dzdo run0': { usage: '-u= -g= -h= -p= -C= -r= -t= -D= -R= --user= --group= --chdir= --prompt=' },
  su: { usage: '-s= --shell= -g= -G=', scripts: '-c --command', runs: 'nothing' },
  runuser: { usage: '-u= --user= -g= -G=', scripts: '-c --command' },
  sg: { scripts: '-c', runs: 'nothing' },
  'gosu su-exec chroot taskset chrt faketime': { usage: '-u= -U=', own: 1 },
  'setsid nohup chronic busybox caffeinate fakeroot unbuffer ssh-agent xvfb-run entr shx parallel': {
    usage: '-e= -n=',
  },
  'command builtin exec': { usage: '-a=' },
  'strace ltrace': { usage: '-o= -e= -p= -s= -u= -a= -E= -P= -S=' },
  'systemd-run setpriv unshare nsenter': { usage: '-u= -p= -E= -M= -t= -S= -G= --unit= --uid= --property= --reuid=' },
  script: { usage: '-I= -O= -B= -T= -E= -m= -o=', own: 1, scripts: '-c --command' },
  flock: { usage: '-w= --timeout= -E=', own: 1, scripts: '-c --command' },
  perf: { after: 'stat record trace', usage: '-e= -o= -F= -p= -r=' },
  watch: { usage: '-n= --interval=', runs: 'script' },
  'eval cross-env-shell': { runs: 'script' },
  'ssh autossh': { usage: '-b= -c= -D= -E= -F= -i= -J= -L= -l= -o= -p= -R= -S= -W=', own: 1, runs: 'script' },
  'npx bunx pnpx': { usage: '-p= --package= -w= --workspace=', scripts: '-c --call' },
  'npm pnpm yarn bun': { after: 'exec x dlx', usage: '-p= --package= -w=', scripts: '-c --call' },
  'uvx pipx': { usage: '--from= --with= --python= -p= --spec=' },
  'uv poetry pipenv pdm rye hatch pixi conda mamba doppler op infisical': { after: 'run', usage: environment },
  'bundle mise rbenv pyenv asdf lerna composer nx fnm': { after: 'exec x', usage: '--scope= -C= --cd= --using= -j=' },
  'direnv nvm aws-vault chamber': { after: 'exec', usage: '--duration= -d=', own: 1 },
  concurrently: { usage: '-n= --names= -c= --prefix-colors= -p= --prefix= -m= -s= --success=', runs: 'scripts' },
  hyperfine: { usage: benchmark, scripts: '-p --prepare -s --setup -c --cleanup', runs: 'scripts' },
  'nix nix-shell': { usage: '-p= -A=', scripts: '--run', after: '-c --command' },
  'fd fdfind': { after: '-x -X --exec --exec-batch' },
  'nodemon watchexec': { usage: '-w= -e= -i=', scripts: '-x --exec', runs: 'nothing' },
  tar: { usage: '-f= -C= -T= -X=', scripts: '-I --use-compress-program --to-command', runs: 'nothing' },
  rsync: { usage: '-f= --exclude= --include= --filter=', scripts: '-e --rsh --rsync-path', runs: 'nothing' },
  'sort split': { usage: '-k= -t= -o= -l= -b= -n=', scripts: '--compress-program --filter', runs: 'nothing' },
  man: { scripts: '-P --pager', runs: 'nothing' },
  'git-fetch git-pull git-push git-clone': { usage: '-b= -c=', scripts: '-u --upload-pack', runs: 'nothing' },
  'git-submodule': { after: 'foreach', runs: 'script' },
  'git-bisect': { after: 'run' },
  'git-rebase': { usage: '-s= -X= --onto=', scripts: '-x --exec', runs: 'nothing' },
  'git-filter-branch': { scripts: '--tree-filter --index-filter --env-filter --msg-filter', runs: 'nothing' },
  'git-difftool': { scripts: '-x --extcmd', runs: 'nothing' },
}

const byName = new Map(
  [...Object.entries(transparent), ...Object.entries(others)].flatMap(([names, runner]) =>
    names.split(' ').map((name) => [name, runner] as const),
  ),
)

export const runnerOf = (name: string): Runner | undefined => byName.get(name)
