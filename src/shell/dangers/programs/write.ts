// What writes files, and where.

import { found, type Check, type Checks, type Found } from '../call.ts'
import { interpreters } from '../executed.ts'
import { codeOf, sedWrites } from '../inner/code.ts'
import { marks, shown } from '../marks.ts'
import { given } from '../options.ts'
import { placeOf } from '../places.ts'

/** A shell reads them at its start: what is written there runs later. */
const startUp = /\/\.(bashrc|bash_profile|bash_login|profile|zshrc|zshenv|zprofile|zlogin|config\/fish\/.*)$/

/** About one path that would be written. */
function written(by: string, path: string, cwd: string): Found | undefined {
  const place = placeOf(path, cwd)
  if (place === 'device') return found('shell-device', `${by} writes to the device ${shown(path)}`)
  if (place === 'network') return found('shell-send-data', `${by} sends to the network through ${shown(path)}`)
  if (place === 'git')
    return found('shell-git-directory', `${by} writes ${shown(path)}, which belongs to git and the executor`)
  if (place !== 'outside') return undefined
  return found(
    'shell-write-outside',
    `${by} writes ${shown(path)}, ${startUp.test(path) ? 'which a shell runs when it starts' : 'outside the repository'}`,
  )
}

const all =
  (valued = '', skip = 0): Check =>
  ({ name, args, cwd }) =>
    given(args, valued)
      .operands.slice(skip)
      .map((path) => written(name, path, cwd))

/** The last operand is where it goes, or what `-t` says. */
const last =
  (valued: string): Check =>
  ({ name, args, cwd }) => {
    const { operands, values } = given(args, `${valued} -t --target-directory`)
    const directories = values('-t', '--target-directory')
    const targets = directories.length > 0 ? directories : operands.length > 1 ? operands.slice(-1) : []
    // What is moved away is gone from where it was.
    const sources = name === 'mv' ? operands.slice(0, directories.length > 0 ? undefined : -1) : []
    return [
      ...[...targets, ...sources].filter((path) => !/^[\w.@-]+:/.test(path)).map((path) => written(name, path, cwd)),
      ...sources.map((path) =>
        placeOf(path, cwd) === 'repository'
          ? found('shell-delete-repository', `mv takes ${shown(path)} away, which is all of the directory`)
          : undefined,
      ),
    ]
  }

const edited: Check = ({ name, args, cwd }) => {
  const inPlace = args.some((arg) => /^-(-in-place|[a-zA-Z]*i)/.test(arg) && !/^-(-i(nclude|gnore)|I)/.test(arg))
  if (!inPlace) return undefined
  const { operands, has } = given(args, '-e -f --expression --file')
  return (has('-e', '-f', '--expression', '--file') ? operands : operands.slice(1)).map((path) =>
    written(`${name} -i`, path, cwd),
  )
}

const named =
  (names: string, valued = names): Check =>
  ({ name, args, cwd }) =>
    given(args, valued)
      .values(...names.split(' '))
      .map((path) => (path === '-' ? undefined : written(name, path, cwd)))

const dd: Check = ({ args, cwd }) =>
  args.flatMap((arg) => (arg.startsWith('of=') ? [written('dd', arg.slice(3), cwd)] : []))

const disks: Check = ({ name, args, cwd }) => {
  const isHarmless =
    args.some((arg) => ['-l', '--list', '-n', '--no-act', '--help', '--version', 'print'].includes(arg)) ||
    args.length === 0
  // An image in the repository is a file like any other.
  const isDevice =
    !name.startsWith('mkfs') ||
    args.some((arg) => !arg.startsWith('-') && ['device', 'outside'].includes(placeOf(arg, cwd)))
  return isHarmless || !isDevice ? undefined : found('shell-device', `${name} overwrites a disk`)
}

const unpacked: Check = ({ name, args, cwd }) => {
  const extracts =
    name !== 'tar' ||
    args.some((arg, at) => /^-?[a-zA-Z]*x/.test(arg) && (at === 0 || arg.startsWith('-'))) ||
    args.includes('--extract') ||
    args.includes('--get')
  if (!extracts) return undefined
  const { has } = given(args, '-C -d -f --directory --file')
  const isAnywhere =
    name === 'unzip'
      ? args.includes('-:')
      : has('-P', '--absolute-names', '--absolute-paths') ||
        (!(args[0] ?? '-').startsWith('-') && /^[a-zA-Z]*P/.test(args[0] ?? ''))
  if (isAnywhere)
    return found('shell-write-outside', `${name} writes wherever the archive says, also outside the repository`)
  return given(args, '-C -d -f --directory')
    .values('-C', '-d', '--directory')
    .map((path) => written(name, path, cwd))
}

const sedWritten: Check = ({ name, args, cwd }) => sedWrites(args).map((path) => written(`${name} w`, path, cwd))

/** Its first operand is the file, the second the patch. */
const patched: Check = ({ args, cwd }) => {
  const { operands, values } = given(args, '-o -d -p -i --output --directory --strip --input')
  return [...operands.slice(0, 1), ...values('-o', '-d', '--output', '--directory')].map((path) =>
    written('patch', path, cwd),
  )
}

/** A file that code of another language opens to write: only where the path is written in it. */
const opening =
  /\b(?:open\s*\(\s*["']([^"'\n]+)["']\s*,\s*["'][wax>]|(?:writeFileSync|appendFileSync|writeFile|appendFile|File\.write|file_put_contents|writeTextFileSync)\s*\(\s*["']([^"'\n]+)["'])/g
const code: Check = (call) =>
  [...codeOf(call).matchAll(opening)].map(([, opened, path]) => written(call.name, opened ?? path ?? '', call.cwd))

/** What every program may have: redirections to files. */
export const redirected: Check = ({ name, targets, cwd }) =>
  targets
    .filter(({ operator, path }) => /^(&?>|<>)/.test(operator) && !(operator === '>&' && /^(\d+-?|-)$/.test(path)))
    .map(({ path, operator }) =>
      path === '' || path.startsWith(marks.some)
        ? undefined
        : written(name === '' ? operator : `${name} ${operator}`, path, cwd),
    )

export const writing: Checks = {
  'tee touch mkdir truncate mkfifo sponge': all('-s -r -m -d -t --mode --size --reference'),
  'chmod chown chgrp': all('--reference', 1),
  'cp mv install ln': last('-m -o -g -S --suffix --mode --owner --group'),
  rsync: last('-e -f --exclude --include --filter --rsh'),
  'sed gsed perl ruby': edited,
  'sed gsed ssed': sedWritten,
  dd,
  'mkfs mkswap wipefs fdisk sfdisk gdisk sgdisk cfdisk parted blkdiscard hdparm': disks,
  ...Object.fromEntries(
    ['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'vfat', 'fat', 'ntfs', 'f2fs'].map((kind) => [`mkfs.${kind}`, disks]),
  ),
  curl: named(
    '-o --output --output-dir',
    '-o --output --output-dir -d -H -X -A -u -e -F -T -b -c -w --data --header --request --user',
  ),
  wget: named('-O --output-document -P --directory-prefix'),
  'tar unzip bsdtar 7z': unpacked,
  cpio: named('-D --directory', '-D --directory -F -I -O -H -R'),
  sort: named('-o --output', '-o --output -k -t -S -T'),
  patch: patched,
  [interpreters]: code,
}
