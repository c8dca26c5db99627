// Programs that print text or query it.

import { literalsOf } from '../argument.ts'
import { excerpt, type Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'
import { phrase } from './system.ts'

const zgrep = withOptions('-chilnvwEFoqHsx -e= -m= -A= -B= -C=')

/** Options that print a certificate or a request. Not -out, and nothing that loads an engine. */
const fields =
  `noout|text|subject|issuer|dates|startdate|enddate|fingerprint|serial|sha1|sha256|pubkey|modulus|email|purpose
  |subject_hash`.replace(/\s+/g, '')
const certificate = String.raw`-(${fields}|in [\w./~-]+|inform \w+|checkend \d+|nameopt \w+|ext \w+)`
const digest = String.raw`dgst( -(md5|sha1|sha224|sha256|sha384|sha512|r|c|hex))*( [\w./~][\w./~-]*)*`

/** Dot commands and some functions run and write. Without -readonly a missing database would be created. */
const sqlite3: Rule = (args) => {
  const words = literalsOf(args)
  if (words === undefined) return 'its arguments are unknown'
  if (words.length === 1 && /^-?-version$/.test(words[0] ?? '')) return undefined
  const flags = words.slice(0, -2)
  const [database = '', query = ''] = words.slice(-2)
  const isKnown =
    flags.includes('-readonly') &&
    flags.every((flag) =>
      /^-(readonly|header|noheader|csv|json|column|line|list|table|box|markdown|batch|bail)$/.test(flag),
    )
  if (!isKnown || /^-|:/.test(database)) return 'only -readonly is known to only read'
  return /^(\s*select\b[^;\n]*;?\s*|\.(tables|schema|indexes|databases)( \w+)?)$/i.test(query) &&
    !/\b(writefile|edit|load_extension|eval|fts3_tokenizer)\b/i.test(query)
    ? undefined
    : `${excerpt(query)} may write`
}

export const texts: Readonly<Record<string, Rule>> = {
  zgrep,
  zegrep: zgrep,
  zfgrep: zgrep,
  zstdcat: withOptions('-q'),
  whatis: withOptions(''),
  apropos: withOptions(''),
  // --pager runs a program.
  ag: withOptions(
    `-ilwvsSQcLaUuno -G= -A= -B= -C= -m= --hidden --nocolor --ignore= --literal --ignore-case --files-with-matches
      --count`,
  ),
  ack: withOptions('-ilwvcLhHQ -A= -B= -m= --nocolor --ignore-dir= --ignore-case --literal'),
  // -i writes the file, -s one file per document.
  yq: withOptions(
    `-rcCMNPejyY -o= -p= --output-format= --input-format= --raw-output --prettyPrint --no-colors --no-doc
      --exit-status`,
    {
      also: ({ operands }) =>
        operands.some(({ literal, text }) => /\bsystem\b/.test(literal ?? text))
          ? 'system in the expression may run something'
          : undefined,
    },
  ),
  xmllint: withOptions('--noout --xpath= --format --recover --huge --nonet --version --html --nowarning --c14n', {
    also: ({ operands }) =>
      operands.every(({ literal }) => literal !== undefined && !literal.includes(':'))
        ? undefined
        : 'its input may be on another machine',
  }),
  bat: withOptions(
    `-pnAfuP -l= -r= -H= --plain --language= --line-range= --highlight-line= --number --style= --color= --paging=
      --theme= --show-all --decorations= --wrap= --list-languages --list-themes --version`,
    {
      also: ({ operands }) =>
        operands.every(({ prefix }) => prefix !== '' && !'cache'.startsWith(prefix))
          ? undefined
          : 'the cache subcommand writes',
    },
  ),
  openssl: phrase(new RegExp(`^(version( -[advfp])?|(x509|req|crl)( ${certificate})*|${digest}|ciphers( -[vVs])*)$`)),
  tokei: withOptions('-fC -e= -t= -s= -o= --files --exclude= --type= --sort= --output='),
  sqlite3,
  // Looking up a host uses the network.
  getent: phrase(/^(passwd|group|services|protocols|shadow|rpc)( [\w.-]+)*$/),
}
