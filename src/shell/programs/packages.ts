// Managers of packages and of languages: what is installed, and how they are set. What they ask of a registry goes over the network, and is not here.
// Nor are pnpm, yarn, cargo, rustup and go: files of the current directory say which code of theirs runs, whatever they are asked.
// Nor is npm: it writes a log, into the directory that .npmrc of the project names.

import type { Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'
import { phrase } from './system.ts'
import { subcommands } from './tools.ts'

const none = withOptions('', { operands: 0 })
const names = withOptions('')

const pip = subcommands({
  // --outdated asks the index. Not freeze: it runs hg where a package is installed in place, and that loads what .hg/hgrc names.
  list: withOptions('-leqv --format= --local --user --editable --not-required --exclude= --disable-pip-version-check', {
    operands: 0,
  }),
  show: withOptions('-fqv --files --verbose'),
  check: none,
  'config list': none,
  'config get': names,
  'cache dir': none,
  'cache info': none,
  help: names,
  '-V': none,
})

/** One word that says what is asked, then names. */
const query = (words: string): Rule => phrase(new RegExp(String.raw`^(${words})( [\w.+:*/~][\w.+:*/~=-]*)*$`))

export const packages: Readonly<Record<string, Rule>> = {
  pip,
  pip3: pip,
  gofmt: phrase(/^-[ldse]( -[ldse])*( [\w.][\w./-]*)*$/),
  gem: subcommands({
    list: withOptions('-adlq --local --all --details'),
    env: withOptions('', { operands: 1 }),
    environment: withOptions('', { operands: 1 }),
    which: names,
    '-v': none,
  }),
  brew: subcommands({
    list: withOptions('-1lrt --versions --formula --cask --full-name'),
    ls: withOptions('-1lrt --versions --formula --cask'),
    leaves: none,
    config: none,
    '--prefix': names,
    '--cellar': names,
  }),
  dpkg: query('-l|-L|-s|-S|-p|--list|--listfiles|--status|--search|--print-architecture|--get-selections|--version'),
  'dpkg-query': withOptions('-lLsSW -f= --list --listfiles --status --search --show --showformat='),
  apt: subcommands({
    list: withOptions('-a --installed --upgradable --all-versions --manual-installed'),
    show: withOptions('-a --all-versions'),
    search: withOptions('-nf --names-only --full'),
    policy: names,
    depends: names,
    rdepends: names,
  }),
  'apt-cache': subcommands({
    policy: names,
    show: names,
    showpkg: names,
    search: withOptions('-nf --names-only --full'),
    depends: names,
    rdepends: names,
    madison: names,
    pkgnames: names,
    stats: none,
  }),
  'apt-mark': subcommands({ showhold: names, showmanual: names, showauto: names }),
  // Without -q before it, -i installs; -V runs scripts of the package, --eval and --define run macros; a file may be behind an address.
  rpm: withOptions('-qaliRfcds --qf= --queryformat= --last --changelog --requires --provides --version', {
    also: ({ options, operands }) =>
      /^(-q|--version)$/.test(options[0]?.name ?? '') &&
      operands.every(({ literal }) => literal !== undefined && !/[:%]/.test(literal))
        ? undefined
        : 'only what begins with -q is known to only read',
  }),
}
