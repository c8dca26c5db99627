// Programs that only read with any arguments: no option in any current version names a file to write or a program to
// run. So unknown words are harmless too. A program with one such option does not belong here.

import type { Rule } from '../verdict.ts'

const names = `
  : b2sum basename bc cal cat cksum cmp column comm cut df diff dir dirname du echo egrep exa expand eza expr factor
  false fgrep fmt fold free getconf getfacl grep groups head hexdump id iostat join last locale logname look ls lsattr
  lsblk lscpu md5 md5sum mpstat namei netstat nl nproc numfmt od paste pathchk pgrep pinky pr printenv ps pstree pwd
  readlink realpath rev seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum sleep stat strings sum tac tail tr
  true tsort tty type uname unexpand uptime users vdir vmstat w wc whereis which who whoami yes`

const reads: Rule = () => undefined

export const anyArguments: Readonly<Record<string, Rule>> = Object.fromEntries(
  names
    .split(/\s+/)
    .filter((name) => name !== '')
    .map((name) => [name, reads]),
)
