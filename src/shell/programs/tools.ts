// Programs with subcommands, of which a few only look. Options before the subcommand name other servers and other settings, and are not known.

import { literalsOf } from '../argument.ts'
import { named, type Rule } from '../verdict.ts'
import { versionOnly, withOptions } from './flagged.ts'

/** By the words that the arguments begin with, the longest first. */
export function subcommands(rules: Readonly<Record<string, Rule>>): Rule {
  const longest = Math.max(...Object.keys(rules).map((words) => words.split(' ').length))
  return (args, judge) => {
    for (let count = Math.min(longest, args.length); count > 0; count -= 1) {
      const name = literalsOf(args.slice(0, count))?.join(' ') ?? ''
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
      if (rule !== undefined) return rule(args.slice(count), judge)
    }
    return args.length === 1 && args[0]?.literal === '--version' ? undefined : `${named(args[0]?.text ?? 'it alone')} is not known to only read`
  }
}

const list = withOptions('-aql -n= -f= --all --quiet --no-trunc --format= --filter= --last= --latest --size')

const docker = subcommands({
  ps: list,
  images: list,
  'container ls': list,
  'image ls': list,
  'volume ls': list,
  'network ls': list,
  version: withOptions('-f= --format='),
  info: withOptions('-f= --format='),
  inspect: withOptions('-s -f= --format= --size --type='),
  logs: withOptions('-ft -n= --follow --tail= --since= --until= --timestamps --details'),
  port: withOptions(''),
})

const kubernetes =
  '-Aw -n= -o= -l= -L= --all-namespaces --namespace= --output= --selector= --watch --show-labels --no-headers --field-selector= --sort-by= --label-columns='

const kubectl = subcommands({
  get: withOptions(kubernetes),
  describe: withOptions(kubernetes),
  logs: withOptions('-fp -n= -c= -l= --follow --previous --namespace= --container= --tail= --since= --timestamps --selector= --all-containers'),
  version: withOptions('-o= --client --output='),
  'config current-context': withOptions('', { operands: 0 }),
  'config get-contexts': withOptions('-o= --no-headers'),
})

const npm = subcommands({
  ls: withOptions('-alg --all --long --json --depth= --omit= --parseable'),
  list: withOptions('-alg --all --long --json --depth= --omit= --parseable'),
  '-v': withOptions('', { operands: 0 }),
})

const systemctl = subcommands({
  status: withOptions('-l -n= --no-pager --full --lines= --user'),
  'is-active': withOptions('-q --quiet --user'),
  'is-enabled': withOptions('-q --quiet --user'),
  'is-failed': withOptions('-q --quiet --user'),
  'list-units': withOptions('-a -t= --all --type= --state= --no-pager --no-legend --user'),
  'list-timers': withOptions('-a --all --no-pager --no-legend --user'),
  show: withOptions('-p= --property= --value --no-pager --user'),
  cat: withOptions('--no-pager --user'),
})

export const tools: Readonly<Record<string, Rule>> = {
  docker,
  kubectl,
  npm,
  systemctl,
  terraform: subcommands({ version: withOptions('--json') }),
  tsc: versionOnly,
}
