// Package and language managers: installed packages and settings. Queries to a registry use the network and are not
// here. Nor are pnpm, yarn, cargo, rustup and go: files in the current directory decide which of their code runs, for
// every subcommand. Nor is npm: it writes a log to the directory that .npmrc of the project names.

import type { Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'
import { phrase } from './system.ts'
import { subcommands } from './tools.ts'

const none = withOptions('', { operands: 0 })
const names = withOptions('')

const pip = subcommands({
  // --outdated uses the network. Not freeze: for editable packages it runs hg, which loads extensions from .hg/hgrc.
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

/** One word for the query, then names. */
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
  // Without -q first, -i installs; -V runs scripts of the package, --eval and --define run macros; a file may be a URL.
  rpm: withOptions('-qaliRfcds --qf= --queryformat= --last --changelog --requires --provides --version', {
    also: ({ options, operands }) =>
      /^(-q|--version)$/.test(options[0]?.name ?? '') &&
      operands.every(({ literal }) => literal !== undefined && !/[:%]/.test(literal))
        ? undefined
        : 'only -q as the first option is known to only read',
  }),
}
