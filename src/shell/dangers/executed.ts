// The files whose text a call would run.

import type { Call } from './call.ts'
import { given } from './options.ts'

export const shells = 'sh bash dash zsh ksh ash mksh fish rbash tcsh csh yash pdksh oksh posh'
export const interpreters =
  'python python2 python3 pypy pypy3 node nodejs perl ruby php deno bun lua luajit osascript pwsh tclsh wish expect Rscript tsx ts-node groovy julia guile jshell'

type Files = (args: readonly string[], call: Call) => readonly string[]

const firstOperand =
  (valued: string, isText: RegExp): Files =>
  (args) => {
    const end = args.findIndex((arg) => isText.test(arg))
    return given(end < 0 ? args : args.slice(0, end), valued).operands.slice(0, end < 0 ? 1 : 0)
  }

const shell: Files = (args) => [
  ...firstOperand('-o -O --rcfile --init-file', /^-[a-zA-Z]*c[a-zA-Z]*$/)(args, undefined as never),
  ...given(args, '--rcfile --init-file').values('--rcfile', '--init-file'),
]

const interpreter: Files = (args, { name }) => {
  const own =
    ['deno', 'bun'].includes(name) && ['run', 'test', 'x', 'serve'].includes(args[0] ?? '') ? args.slice(1) : args
  const loaded = given(own, '-r --require --import --loader --preload').values(
    '-r',
    '--require',
    '--import',
    '--loader',
    '--preload',
  )
  return [
    ...firstOperand(
      '-W -X -r -I -M --require --import --loader --preload --config --allow-net',
      /^(-[a-zA-Z]*[ce]|-m|-p|--eval|--print)$/,
    )(own, undefined as never),
    ...loaded,
  ]
}

const values =
  (names: string): Files =>
  (args) =>
    given(args, names).values(...names.split(' '))

/** What it looks for by itself, where nothing else is named. */
const recipes =
  (files: string, named: string, directory = '-C --directory'): Files =>
  (args) => {
    const { values: of } = given(args, `${named} ${directory} -j -o -W -I`)
    const [where] = of(...directory.split(' '))
    const own = of(...named.split(' '))
    return (own.length > 0 ? own : files.split(' ')).map((file) => (where === undefined ? file : `${where}/${file}`))
  }

const table: Readonly<Record<string, Files>> = {
  [shells]: shell,
  'source .': (args) => args.filter((arg) => arg !== '--').slice(0, 1),
  [interpreters]: interpreter,
  'awk gawk mawk sed gsed': values('-f --file'),
  'make gmake bmake': recipes('GNUmakefile makefile Makefile', '-f --file --makefile'),
  just: recipes('justfile Justfile .justfile', '-f --justfile', '-d --working-directory'),
  'rake task invoke': recipes('Rakefile rakefile Taskfile.yml tasks.py', '-f --rakefile'),
  'npm pnpm yarn bun': recipes('package.json', '--no-such-option', '-C --prefix --cwd'),
  'gradle gradlew': recipes('build.gradle build.gradle.kts', '-b --build-file', '-p --project-dir'),
  cmake: recipes('CMakeLists.txt', '-P', '-S'),
  direnv: recipes('.envrc', '--no-such-option'),
  pytest: recipes('conftest.py', '-c', '--rootdir'),
  cargo: recipes('build.rs', '--no-such-option'),
  java: (args) => given(args, '-jar -cp -classpath').operands.slice(0, 1),
  gdb: values('-x'),
  'vim vi nvim ex': values('-S -u -s'),
}

const byName = new Map<string, Files[]>()
for (const [names, files] of Object.entries(table))
  for (const name of names.split(' ')) byName.set(name, [...(byName.get(name) ?? []), files])

/** A shell reads them before anything else. */
const startUp = ['BASH_ENV', 'ENV', 'PYTHONSTARTUP']

export const executedBy = (call: Call): string[] => [
  ...(call.program === '' ? [] : [call.program]),
  ...startUp.flatMap((name) => call.env.get(name) ?? []),
  ...(byName.get(call.name) ?? []).flatMap((files) => files(call.args, call)),
]

/** The one that a shell would take for a script of its own. */
export const scriptOf = (call: Call): { readonly path: string; readonly args: readonly string[] } | undefined => {
  if (call.program.includes('/')) return { path: call.program, args: call.args }
  const isSourced = call.name === 'source' || call.name === '.'
  if (!isSourced && !shells.split(' ').includes(call.name)) return undefined
  const [path] = executedBy({ ...call, program: '', env: new Map() })
  return path === undefined ? undefined : { path, args: call.args.slice(call.args.indexOf(path) + 1) }
}
