// Managers of packages and of languages: what is installed, and how they are set. What they ask of a registry goes over the network, and is not here.

import type { Rule } from '../verdict.ts'
import { withOptions } from './flagged.ts'
import { phrase } from './system.ts'
import { subcommands } from './tools.ts'

const none = withOptions('', { operands: 0 })
const names = withOptions('')

const npmList = withOptions('-alg --all --long --json --depth= --omit= --parseable --global --prod --production')

const npm = subcommands({
  ls: npmList,
  list: npmList,
  ll: npmList,
  explain: withOptions('--json'),
  why: withOptions('--json'),
  prefix: withOptions('-g --global', { operands: 0 }),
  root: withOptions('-g --global', { operands: 0 }),
  bin: withOptions('-g --global', { operands: 0 }),
  'config get': names,
  'config list': withOptions('-l --long --json', { operands: 0 }),
  'config ls': withOptions('-l --long --json', { operands: 0 }),
  'pkg get': names,
  help: none,
  // Without a name it lists the scripts.
  run: none,
  '-v': none,
})

/** Not `list` of yarn: where yarn has none, a script of that name runs. */
const pnpmList = withOptions('-rgPD --depth= --json --long --parseable --prod --dev --recursive --global')
const pnpm = subcommands({ list: pnpmList, ls: pnpmList, ll: pnpmList, why: pnpmList, root: withOptions('-g', { operands: 0 }), bin: none, '-v': none })

const pip = subcommands({
  // --outdated asks the index.
  list: withOptions('-leqv --format= --local --user --editable --not-required --exclude= --disable-pip-version-check', { operands: 0 }),
  show: withOptions('-fqv --files --verbose'),
  freeze: withOptions('-lq --local --user --all --exclude-editable --exclude=', { operands: 0 }),
  check: none,
  'config list': none,
  'config get': names,
  'cache dir': none,
  'cache info': none,
  help: names,
  '-V': none,
})

const cargo = subcommands({
  '-V': none,
  '-vV': none,
  '--list': none,
  'locate-project': withOptions('--workspace --message-format=', { operands: 0 }),
  'read-manifest': withOptions('--manifest-path=', { operands: 0 }),
  // With the dependencies it may write the lock file and ask the registry.
  metadata: withOptions('-q --format-version= --no-deps --manifest-path= --quiet', {
    operands: 0,
    also: ({ options }) => (options.some(({ name }) => name === '--no-deps') ? undefined : 'only --no-deps is known to only read'),
  }),
})

const go = subcommands({
  version: withOptions('-m', { operands: 1 }),
  // -w and -u write the settings.
  env: phrase(/^(-json|-changed)?( ?[A-Z][A-Z0-9_]*)*$/),
  'list -m': none,
  doc: phrase(/^(-(all|src|short|u|c|cmd) )*[\w./]*( [\w.]+)?$/),
  help: names,
})

/** One word that says what is asked, then names. */
const query = (words: string): Rule => phrase(new RegExp(String.raw`^(${words})( [\w.+:*/~][\w.+:*/~=-]*)*$`))

export const packages: Readonly<Record<string, Rule>> = {
  npm,
  pnpm,
  pip,
  pip3: pip,
  cargo,
  go,
  gofmt: phrase(/^-[ldse]( -[ldse])*( [\w.][\w./-]*)*$/),
  rustup: subcommands({
    show: none,
    'show active-toolchain': none,
    'show home': none,
    'toolchain list': withOptions('-v'),
    'target list': withOptions('--installed'),
    which: names,
    '-V': none,
  }),
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
  // -V runs scripts of the package, --eval and --define run macros; a file may be behind an address.
  rpm: withOptions('-qaliRfcds --qf= --queryformat= --last --changelog --requires --provides --version', {
    also: ({ options, operands }) =>
      options.some(({ name }) => name === '-q' || name === '--version') && operands.every(({ literal }) => literal !== undefined && !/[:%]/.test(literal))
        ? undefined
        : 'only -q is known to only read',
  }),
}
