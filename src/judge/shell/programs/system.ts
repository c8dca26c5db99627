// Programs that inspect the machine. Most of them can also set what they show, by an option or one more word. Not top:
// it creates a directory for its settings, even with -b.

import { isOperand, literalsOf } from '../argument.ts'
import { excerpt, type Problem, type Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'

const unknown = (text: string): string => `${excerpt(text)} may write`

/** By a pattern for the words, joined with one space; so all of them must be known. */
export const phrase =
  (known: RegExp): Rule =>
  (args) => {
    const words = literalsOf(args)
    return words !== undefined && words.every((word) => /^\S+$/.test(word)) && known.test(words.join(' '))
      ? undefined
      : unknown(args.map(({ text }) => text).join(' ') || 'a call without arguments')
  }

// The object, abbreviated or in full, then nothing or the word for showing. `ip addr add` and `ip netns exec` are
// others.
const ipOptions = '(-(4|6|br|brief|c|color|j|json|p|pretty|d|details|s|stats|o|oneline|h) )*'
const ipObject = '(a|addr|address|l|link|r|route|n|neigh|neighbour|rule|maddr)'
const ip = phrase(
  new RegExp(String.raw`^${ipOptions}${ipObject}( (show|list|ls|lst)( [\w.:/]+)*)?$|^(-[46] )*(r|route) get [\w.:]+$`),
)

const judgeKeys = (words: readonly string[]): Problem => {
  const found = words.find((word) => word.includes('='))
  return found === undefined ? undefined : `${excerpt(found)} sets it`
}

const sysctl = withOptions('-aneNbA --all --names --values --ignore --deprecated -r= --pattern=', {
  also: ({ operands }) => {
    const words = literalsOf(operands)
    return words === undefined ? 'its arguments are unknown' : judgeKeys(words)
  },
})

/** `dd of=` writes, and so may any other key. The words are keys with values, in any order. */
const dd: Rule = (args) => {
  const other = args.find(
    ({ literal }) => !/^((if|i?bs|obs|cbs|count|skip|conv|iflag|status)=.*|of=\/dev\/null)$/s.test(literal ?? ''),
  )
  return other === undefined ? undefined : unknown(other.text)
}

const tee: Rule = (args) => {
  const file = args.find(({ literal }) => !['-a', '-i', '--append', '/dev/null'].includes(literal ?? ''))
  return file === undefined ? undefined : `${excerpt(file.text)} is written`
}

/** `ar t lib.a`: the first word is the operation, with or without a dash. */
const ar: Rule = (args) => {
  if (!/^-?[tpv]*[tp][tpv]*$/.test(args[0]?.literal ?? '')) return 'only t and p are known to only read'
  const option = args.slice(1).find((arg) => !isOperand(arg))
  return option === undefined ? undefined : unknown(option.text)
}

/** `-iTCP:80`, `-sTCP:LISTEN`: the query is joined to the letter. */
const joinedQuery = /^-(i[46]?(TCP|UDP)?(@?[\w.]*:[\w,-]+)?|s(TCP|UDP):[\w^,]+)$/i
const lsofOptions = withOptions('-nPtaUlR -i[=] -p= -u= -c=')
const lsof: Rule = (args, judge) =>
  lsofOptions(
    args.filter(({ literal }) => !joinedQuery.test(literal ?? '')),
    judge,
  )

export const system: Readonly<Record<string, Rule>> = {
  ip,
  sysctl,
  dd,
  tee,
  ar,
  lsof,
  // -K closes connections, -D writes a file.
  ss: withOptions(
    '-tulnpaexwoimsr46H -f= --tcp --udp --listening --numeric --processes --all --summary --extended --no-header',
  ),
  // With -a the next word applies to all interfaces: `ifconfig -a down`.
  ifconfig: withOptions('-as', {
    operands: 1,
    also: ({ options, operands }) =>
      options.length === 0 || operands.length === 0 ? undefined : 'an option and an operand may set something',
  }),
  arp: withOptions('-aenv', { operands: 0 }),
  route: withOptions('-ne', { operands: 0 }),
  mount: phrase(/^(-l)?( ?-t [\w,]+)?$/),
  findmnt: withOptions(
    `-lnrJDAakmsubi -o= -t= -S= -T= --json --list --noheadings --output= --types= --source= --target= --df --all
      --real`,
  ),
  ldconfig: phrase(/^(-p|--print-cache)$/),
  tput: phrase(/^(cols|lines|colors|longname)$/),
  lsmod: withOptions('', { operands: 0 }),
  lspci: withOptions('-vknmtDx -s= -d='),
  lsusb: withOptions('-vt -s= -d='),
  journalctl: withOptions([
    `-xefkrqam -# -u= -n= -p= -t= -g= -S= -U= -o= -b[=] --since= --until= --no-pager --unit= --user-unit= --lines=
      --priority= --boot[=] --follow --reverse --output= --grep=`,
    `--disk-usage --list-boots --user --system --dmesg --identifier= --utc --no-hostname --catalog --pager-end --all
      --quiet --no-tail --no-full --merge --header --version`,
  ]),
  loginctl: phrase(
    /^(list-(sessions|users|seats)|(session|user)-status( [\w-]+)?|show-(session|user) [\w-]+)?( --no-pager)?$/,
  ),
  timedatectl: phrase(/^(status|show|list-timezones)?( ?--no-pager)?$/),
  hostnamectl: phrase(/^(status)?$/),
  localectl: phrase(/^(status|list-locales)?( ?--no-pager)?$/),
  objdump: withOptions(
    `-adDfhprsStTxCwl -j= -M= --disassemble --disassemble-all --headers --syms --source --section=
      --no-show-raw-insn --demangle`,
  ),
  size: withOptions('-ABdoxt'),
  addr2line: withOptions('-afpsiC -e='),
  // A format may contain `#(…)`, which runs a command.
  tmux: phrase(/^(ls|list-sessions|list-windows( -a)?|list-panes( -a)?|-V)$/),
  // -ls creates the directory for its sockets.
  screen: phrase(/^-v$/),
}
