// Programs with subcommands, a few of which only read. Options before the subcommand select other servers and settings,
// and are unknown.

import { literalsOf } from '../argument.ts'
import { excerpt, type Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'

/** By the first words of the arguments, the longest match first. */
export function subcommands(rules: Readonly<Record<string, Rule>>): Rule {
  const longest = Math.max(...Object.keys(rules).map((words) => words.split(' ').length))
  return (args, judge) => {
    for (let count = Math.min(longest, args.length); count > 0; count -= 1) {
      const name = literalsOf(args.slice(0, count))?.join(' ') ?? ''
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
      if (rule !== undefined) return rule(args.slice(count), judge)
    }
    return args.length === 1 && args[0]?.literal === '--version'
      ? undefined
      : `${excerpt(args[0]?.text ?? 'a call without arguments')} may write`
  }
}

const list = withOptions('-aql -n= -f= --all --quiet --no-trunc --format= --filter= --last= --latest --size --digests')
const none = withOptions('', { operands: 0 })
const formatted = withOptions('-f= --format=')
const inspected = withOptions('-s -f= --format= --size --type= --verbose')
const logs = withOptions('-ft -n= --follow --tail= --since= --until= --timestamps --details --no-color --no-log-prefix')

/**
 * Nothing that loads the project: its .env sets variables for the programs that run, such as git for remote includes.
 */
const compose = { version: withOptions('-f= --format= --short') }

const dockerReaders = {
  ps: list,
  images: list,
  version: formatted,
  info: formatted,
  inspect: inspected,
  logs,
  port: withOptions(''),
  top: withOptions('', { operands: 1 }),
  diff: withOptions(''),
  history: withOptions('-Hq --human --no-trunc --quiet --format='),
  stats: withOptions('-a --all --no-stream --no-trunc --format='),
  events: withOptions('-f= --filter= --format= --since= --until='),
}

const docker = subcommands({
  ...dockerReaders,
  ...Object.fromEntries(
    ['container', 'image', 'volume', 'network'].flatMap((kind) => [
      [`${kind} ls`, list],
      [`${kind} list`, list],
      [`${kind} inspect`, inspected],
    ]),
  ),
  ...Object.fromEntries(
    ['logs', 'top', 'port', 'diff', 'stats'].map((name) => [
      `container ${name}`,
      dockerReaders[name as keyof typeof dockerReaders],
    ]),
  ),
  ...Object.fromEntries(Object.entries(compose).map(([name, rule]) => [`compose ${name}`, rule])),
  'image history': dockerReaders.history,
  'system df': withOptions('-v --verbose --format='),
  'system info': formatted,
  'context ls': withOptions('-q --quiet --format='),
  'context show': none,
  '-v': none,
})

/** Only what the client knows by itself: a cluster is reached through the network, and its answers are cached. */
const kubectl = subcommands({
  'version --client': withOptions('-o= --output= --short'),
  'config current-context': none,
  'config get-contexts': withOptions('-o= --no-headers'),
  'config get-clusters': none,
  'config get-users': none,
  'config view': withOptions('-o= --minify --output= --flatten'),
})

const helm = subcommands({
  version: withOptions('--short --template='),
  env: none,
  'repo list': withOptions('-o= --output='),
  'search repo': withOptions('-lr -o= --versions --version= --output='),
})

/** A unit, or a pattern for units. */
const unit = withOptions(
  `-alq -n= -t= -p= --all --full --lines= --type= --state= --property= --value --quiet --no-pager --no-legend
    --plain --user --failed`,
)

const systemctl = subcommands({
  ...Object.fromEntries(
    `status is-active is-enabled is-failed is-system-running list-units list-unit-files list-timers list-sockets
    list-dependencies list-jobs show cat get-default`
      .split(/\s+/)
      .flatMap((name) => [name, `--user ${name}`, `--no-pager ${name}`])
      .map((name) => [name, unit]),
  ),
  '--failed': withOptions('--no-pager --no-legend --user', { operands: 0 }),
})

/** Not podman and gcloud: podman always sets up its storage, and gcloud writes a log. */
export const tools: Readonly<Record<string, Rule>> = {
  docker,
  'docker-compose': subcommands(compose),
  kubectl,
  helm,
  systemctl,
}
