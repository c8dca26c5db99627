// git: commands in its settings, in its options, and behind its subcommands.

import { gitCallOf } from '../git-call.ts'
import { given } from '../options.ts'
import { command, inOption, rest, script, type Inner, type Unwrap, type Unwraps } from './inner.ts'

/** Settings whose value is a command. */
const programs =
  /^(core\.(editor|pager|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|diff\.external|diff\..+\.(command|textconv)|(difftool|mergetool|browser|man)\..+\.cmd|merge\..+\.driver|filter\..+\.(clean|smudge|process)|pager\..+|gpg\.(.+\.)?program|gpg\.ssh\.defaultkeycommand|interactive\.difffilter|trailer\..+\.(command|cmd)|uploadpack\.packobjectshook|remote\..+\.(uploadpack|receivepack)|sendemail\..*(cmd|smtpserver)|receive\.procreceiverefs|web\.browser)$/i
/** Settings whose value is a command behind an exclamation mark, and something else without it. */
const shouting = /^(alias\..+|credential\.(.+\.)?helper|submodule\..+\.update)$/i

/** What a setting runs; `args` are those behind an alias that is used at once. */
function ofSetting(key: string, value: string, args: readonly string[] = []): Inner[] {
  if (programs.test(key)) return script(value)
  if (!shouting.test(key)) return []
  if (value.startsWith('!')) return script(value.slice(1), args)
  if (!/^alias\./i.test(key)) return []
  return /['"\\]/.test(value)
    ? script(`git ${value}`)
    : command(['git', ...value.trim().split(/\s+/), ...args], new Map())
}

const ofPair = (setting: string, sub: string, args: readonly string[]): Inner[] => {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(setting) ?? []
  return ofSetting(key, value, key.toLowerCase() === `alias.${sub.toLowerCase()}` ? args : [])
}

/** Behind `config`, with or without the word `set`. */
function ofConfig(args: readonly string[]): Inner[] {
  const words = given(args, '-f --file --blob --type -t --default --comment --value').operands.filter(
    (word, at) => at > 0 || word !== 'set',
  )
  return words.length < 2 ? [] : ofSetting(words[0] ?? '', words[1] ?? '')
}

const pager: Unwrap = (args) => args.flatMap((arg) => script(/^(?:-O|--open-files-in-pager=)(.+)$/s.exec(arg)?.[1]))
const transport = inOption('--upload-pack --receive-pack --exec', '-o --branch -b --depth')

const subs: Readonly<Record<string, Unwrap>> = {
  config: (args) => ofConfig(args),
  grep: pager,
  difftool: inOption('-x --extcmd', '-t --tool'),
  rebase: inOption('-x --exec', '-s -X --onto'),
  'filter-branch': inOption(
    '--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --setup',
    '-d --original',
  ),
  submodule: (args) =>
    args.includes('foreach') ? script(rest(args.slice(args.indexOf('foreach') + 1)).join(' ')) : [],
  bisect: (args) => (args[0] === 'run' ? command(args.slice(1)) : []),
  clone: (args, call) => [
    ...inOption('-u --upload-pack', '-o -b -c --branch --config --depth')(args, call),
    ...given(args, '-c --config -u -b -o')
      .values('-c', '--config')
      .flatMap((each) => ofPair(each, '', [])),
  ],
  'fetch fetch-pack pull push send-pack ls-remote archive': transport,
  'send-email': inOption('--sendmail-cmd --to-cmd --cc-cmd --header-cmd --smtp-server'),
  'for-each-repo': (args) => command(['git', ...rest(args, '--config')]),
}
const bySub = new Map(
  Object.entries(subs).flatMap(([names, unwrap]) => names.split(' ').map((name) => [name, unwrap] as const)),
)

const git: Unwrap = (_, call) => {
  const { sub, args, settings } = gitCallOf(call)
  return [
    ...settings.flatMap((each) => ofPair(each, sub, args)),
    ...(bySub.get(sub)?.(args, call) ?? []),
    ...args.flatMap((arg) => script(/^ext::(.*)$/s.exec(arg)?.[1])),
  ]
}

export const versionControl: Unwraps = { git }

/** `git-push`, as it lies in the directory of git's own programs. */
export const dashed: Unwrap = (args, { name }) =>
  /^git-[a-z]/.test(name) ? command(['git', name.slice('git-'.length), ...args]) : []
