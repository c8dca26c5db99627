// git: writing commands in forms that only report what they would do, and commands that convert text.

import type { Given } from '../options.ts'
import type { Problem, Rule } from '../verdict.ts'
import { form, has } from './git-form.ts'
import { logOptions } from './git-options.ts'

const only =
  (...names: readonly string[]) =>
  (given: Given): Problem =>
    has(given, ...names) ? undefined : `only ${names.join(' and ')} is known to only read`

const dry = only('-n', '--dry-run')
const none = form('', 0)

export const gitChecks: Readonly<Record<string, Rule>> = {
  add: form('-nvAuf --dry-run --verbose --all --update --force --ignore-missing', Infinity, dry),
  rm: form('-nrfq --dry-run --cached --ignore-unmatch --quiet --force', Infinity, dry),
  mv: form('-nvfk --dry-run --verbose --force', Infinity, dry),
  prune: form('-nv --dry-run --verbose', 0, dry),
  'worktree prune': form('-nv --dry-run --verbose', 0, dry),
  clean: form('-ndxXq -e= --dry-run --quiet --exclude=', Infinity, dry),
  // Each of these turns applying off, and only --apply turns it on again.
  apply: form(
    `-vRq -p= --check --stat --numstat --summary --verbose --reverse --recount --include= --exclude= --directory=
      --whitespace= --unidiff-zero --ignore-whitespace`,
    Infinity,
    only('--check', '--stat', '--numstat', '--summary'),
  ),
  'format-patch': form(
    `${logOptions} -k --stdout --signoff --no-signature --zero-commit --numbered --no-numbered --subject-prefix= --rfc`,
    Infinity,
    only('--stdout'),
  ),
  // --lost-found writes what it finds.
  fsck: form(
    `-v --full --no-full --strict --unreachable --dangling --no-dangling --connectivity-only --verbose --progress
      --no-progress --name-objects --root --tags --cache --no-reflogs`,
  ),
  'verify-pack': form('-vs --verbose --stat-only'),
  replace: form('-l --list --format=', 1, only('-l', '--list')),
  archive: form('-l --list', 0, only('-l', '--list')),
  submodule: none,
  'submodule status': form('--cached --recursive'),
  'submodule summary': form('--cached --files'),
  'sparse-checkout list': none,
  'rerere status': none,
  'rerere diff': none,
  'rerere remaining': none,
  'patch-id': form('--stable --unstable --verbatim', 0),
  stripspace: form('-sc --strip-comments --comment-lines', 0),
  column: form('--mode[=] --width[=] --indent[=] --nl[=] --padding[=]', 0),
  // Without these, settings may run a command for each trailer.
  'interpret-trailers': form(
    '--parse --only-trailers --only-input --unfold --no-divider',
    Infinity,
    only('--parse', '--only-input'),
  ),
  'get-tar-commit-id': none,
  'show-index': form('--object-format=', 0),
  // Other subcommands, even ls-files, set lfs.repositoryFormatVersion if it is not set.
  'lfs version': none,
}
