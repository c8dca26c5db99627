// Programs that only read with these options and at most this many operands: others write a file or run a program.

import { isOperand, type Argument } from '../argument.ts'
import { options, readOptions, type Given } from '../options.ts'
import { excerpt, type Problem, type Rule } from '../verdict.ts'

interface Form {
  /** The maximum; for some programs a second operand is an output file. */
  readonly operands?: number
  /**
   * Options must come before operands, because a later one may be read as an operand. Default if operands are limited.
   */
  readonly isOrdered?: boolean
  /** Further conditions. */
  readonly also?: (given: Given) => Problem
}

/** The rule for a usage line, which is parsed when the program is first used. */
export function withOptions(
  usage: string | readonly string[],
  { operands: most = Infinity, isOrdered = most < Infinity, also }: Form = {},
): Rule {
  let known: ReturnType<typeof options> | undefined
  return (args) => {
    const given = readOptions((known ??= options(...[usage].flat())), args)
    if (given.problem !== undefined) return given.problem
    if (given.isMixed && isOrdered) return 'an option after an operand may be an operand'
    const extra =
      given.operands[most] ?? (most < Infinity ? given.operands.find(({ fields }) => fields !== 'one') : undefined)
    return extra === undefined ? also?.(given) : `${excerpt(extra.text)} is one operand too many`
  }
}

/** Options that are whole words, with or without a value in the next word. */
const wordOptions =
  (flags: readonly string[], valued: readonly string[], most: number): Rule =>
  (args) => {
    let operands = 0
    for (let at = 0; at < args.length; at += 1) {
      const { literal, text, fields } = args[at] as Argument
      if (
        literal === undefined
          ? fields !== 'one' || !isOperand(args[at] as Argument)
          : !isOperand(args[at] as Argument) && !flags.includes(literal) && !valued.includes(literal)
      )
        return `${excerpt(text)} may write`
      if (valued.includes(literal ?? '')) {
        at += 1
        if (!/^(0x)?[0-9a-f]+$/i.test(args[at]?.literal ?? '')) return `${excerpt(text)} needs a number`
      } else if (isOperand(args[at] as Argument) || operands > 0) operands += 1
    }
    return operands > most ? 'the second operand is the output file' : undefined
  }

const startsWithPlus = ({ operands }: Given): Problem => {
  const sets = operands.find(({ prefix }) => !prefix.startsWith('+'))
  return sets === undefined ? undefined : `${excerpt(sets.text)} may set the clock`
}

export const flagged: Readonly<Record<string, Rule>> = {
  // -o and -T write files, --compress-program runs one.
  sort: withOptions([
    `-bcCdfghiMnmRrsuVz -k= -t= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
      --ignore-nonprinting --month-sort`,
    `--human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check[=] --key= --merge
      --stable --field-separator= --unique --zero-terminated --parallel=`,
  ]),
  uniq: withOptions(
    `-cdDiuz -f= -s= -w= --count --repeated --unique --ignore-case --zero-terminated --skip-fields= --skip-chars=
      --check-chars=`,
    {
      operands: 1,
    },
  ),
  shuf: withOptions('-erz -i= -n= --echo --repeat --zero-terminated --input-range= --head-count='),
  date: withOptions('-uR -I[=] -d= -r= --date= --reference= --utc --universal --iso-8601[=] --rfc-3339= --rfc-email', {
    also: startsWithPlus,
  }),
  hostname: withOptions('-fsdiIAy --fqdn --short --domain --ip-address --all-ip-addresses', { operands: 0 }),
  file: withOptions(
    `-bLhiIkrEN0 -F= -e= --brief --dereference --no-dereference --mime --mime-type --mime-encoding --keep-going
      --raw --separator= --exclude=`,
  ),
  tree: withOptions(
    `-adfglipstuDFhNQrCnqvXJxS -L= -I= -P= --dirsfirst --noreport --gitignore --prune --du --si --charset= --sort=
      --filelimit= --matchdirs --ignore-case --inodes --device`,
  ),
  // Its options are words, not letters: `-ps` is one option. The second operand is the output file.
  xxd: wordOptions(
    ['-a', '-b', '-e', '-E', '-i', '-p', '-ps', '-plain', '-r', '-u'],
    ['-c', '-g', '-l', '-s', '-o'],
    1,
  ),
  jq: withOptions(
    `-cernsSajCMR0 --compact-output --exit-status --raw-output --raw-input --null-input --slurp --sort-keys
      --ascii-output --join-output --tab --indent= --color-output --monochrome-output --arg --argjson --slurpfile
      --rawfile --args --jsonargs --seq --stream --raw-output0`,
  ),
  // --pre, --hostname-bin and -z run programs.
  rg: withOptions(
    `-acFHhIiLlnNopPqSsUuvwx0 -A= -B= -C= -E= -e= -f= -g= -j= -M= -m= -r= -t= -T= -d= --after-context=
      --before-context= --context= --case-sensitive --color= --column --count --count-matches --crlf --encoding=
      --files --files-with-matches --files-without-match --fixed-strings --glob= --heading --hidden --iglob=
      --ignore-case --invert-match --json --line-number --line-regexp --max-columns= --max-count= --max-depth=
      --max-filesize= --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore
      --no-ignore-vcs --no-line-number --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet
      --regexp= --replace= --smart-case --sort= --sortr= --stats --text --threads= --trim --type= --type-list
      --type-not= --unrestricted --version --vimgrep --with-filename --word-regexp`,
  ),
  // -x and -X run programs.
  fd: withOptions(
    `-HIusigaLp01Fq -d= -t= -e= -E= -S= --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive
      --ignore-case --glob --regex --fixed-strings --absolute-path --follow --full-path --print0 --max-depth=
      --min-depth= --exact-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before=
      --color= --max-results= --quiet --version`,
  ),
  // On other systems -o names the output file.
  base64: withOptions('-dDi -w= --decode --ignore-garbage --wrap='),
  base32: withOptions('-di -w= --decode --ignore-garbage --wrap='),
  // With operands it runs a program on some systems.
  arch: withOptions('', { operands: 0 }),
  iconv: withOptions('-cl -f= -t= --from-code= --to-code= --list'),
  nm: withOptions(
    `-aABCDgnoprSu --demangle --dynamic --extern-only --undefined-only --defined-only --numeric-sort --print-size
      --size-sort --no-sort`,
  ),
  readelf: withOptions(
    `-aAhlSgtesnrudVDcIW -x= -p= --all --headers --file-header --program-headers --section-headers --symbols
      --dynamic --notes --wide`,
  ),
  zcat: withOptions('-f'),
  gzcat: withOptions('-f'),
  bzcat: withOptions('-s'),
  xzcat: withOptions('-q'),
  zipinfo: withOptions('-12smlvhtTz'),
  crontab: withOptions('-l', {
    operands: 0,
    also: ({ options }) => (options.length > 0 ? undefined : 'it reads a new table'),
  }),
  // A number would set the mask.
  umask: withOptions('-pS', { operands: 0 }),
  dmesg: withOptions('-HkTtxu -l= -f= --human --kernel --ctime --notime --decode --level= --facility=', {
    operands: 0,
  }),
  node: withOptions('-v --version', {
    operands: 0,
    also: ({ options }) => (options.length > 0 ? undefined : 'it runs its input'),
  }),
}
