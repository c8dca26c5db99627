// The tools that an agent may ask to have treated as reading. Never a program that the tables know: what they call
// WRITE stays WRITE. A program that runs others counts as the one that it runs.

import { ruleOf } from './programs/index.ts'
import type { SafetyEntry } from './registry.ts'

/** They run whatever follows: the next word is the tool. */
const launchers = new Set('npx pnpx bunx uvx pipx dotnet'.split(' '))

/** Words of the shell itself, and programs that are not in the tables and not to be declared by a session either. */
const refused = new Set(
  `let declare typeset local readonly export unset set shopt enable hash builtin command bind bg fg jobs disown kill
  getopts mapfile readarray read printf pushd popd cd dirs umask ulimit wait logout exit return break continue shift
  times type help history fc complete compgen compopt caller suspend time coproc function select until while for if
  then else elif fi do done case esac in [ [[ ]] { } ! : test echo true false
    sudo doas su pkexec run0 chroot unshare nsenter systemd-run mount umount mkfs mkfifo mknod truncate shred fallocate
  eval exec source . trap alias pnpm yarn bun deno cargo go rustup nix brew apt apt-get dnf yum pacman snap flatpak
  crontab at batch screen tmux nohup setsid parallel watch expect socat nc ncat telnet ftp sftp scp rclone git-plan`.split(
    /\s+/,
  ),
)

/** Why the entry is refused; undefined: a person may allow it. */
export function declarationProblem({ tool, read }: Pick<SafetyEntry, 'tool' | 'read'>): string | undefined {
  const words = tool.trim().split(/\s+/)
  const [first = '', second] = words
  const bad = [...words, ...read.flatMap((pattern) => pattern.split(/\s+/))].find(
    (word) => !/^[\w@%+=:,./*?~-]+$/.test(word),
  )
  if (bad !== undefined) return `${JSON.stringify(bad)} is not a plain word`
  if (words.some((word) => word.includes('*'))) return 'the tool itself must be named in full'
  const program = launchers.has(first) ? second : first
  if (program === undefined || program.startsWith('-')) return `${first} runs other programs: name one`
  // The name of a package may have a scope: npx @acme/tool.
  const name = launchers.has(first) ? program.replace(/^@[^/]+\//, '').replace(/@.*$/, '') : program
  if (name.includes('/') || name === '') return 'a path may lead to any program'
  if (ruleOf(name) !== undefined) return `${name} is known to git plan, which decides itself in which forms it reads`
  if (refused.has(name)) return `${name} runs other programs, or only writes`
  return undefined
}
