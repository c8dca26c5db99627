// Every rule about dangerous commands: what it finds, and what to write instead.

export interface DangerRule {
  /** For the documentation. */
  readonly finds: string
  readonly instead: string
  /** Default: error. */
  readonly severity?: 'warning'
}

export const dangerRules = {
  'shell-unparsable': {
    finds: 'a command that cannot be parsed, or is too long or too deeply nested to judge',
    instead: 'fix it, or move it to a script in the repository that is reviewed',
  },
  'shell-delete-outside': {
    finds: 'deletes outside the repository: absolute paths, `~`, `..`, or `"$NAME/"` if the variable may be empty',
    instead: 'delete a path in the repository; if it begins with a variable, write `"${NAME:?}/"`',
  },
  'shell-delete-repository': {
    finds: 'deletes the repository itself: `.`, `*`, `.git`',
    instead: 'name the directories to delete, or use the verb `delete`',
  },
  'shell-clean-ignored': {
    finds: 'deletes ignored files, which cannot be restored: `git clean -x`',
    instead: 'delete the build output by name',
  },
  'shell-device': {
    finds: 'writes to a device or a disk: `> /dev/sda`, `dd of=/dev/…`, `mkfs`',
    instead: 'use a `manual` step',
  },
  'shell-write-outside': {
    finds: 'writes outside the repository: absolute paths except temporary files, `~`, `..`, `tar -P`',
    instead: 'write to the repository, or to a directory that `mktemp -d` created',
  },
  'shell-git-directory': {
    finds: 'writes to `.git`, which belongs to Git and git plan',
    instead: 'let Git change its own files; hooks and settings are for people',
  },
  'shell-network-to-shell': {
    finds: 'runs code from the network: `curl … | sh`, `bash <(curl …)`, a file just fetched, `npx https://…`',
    instead: 'add the script to the repository, or fetch it and verify its checksum in a step of its own',
  },
  'shell-force-push': {
    finds: 'overwrites or deletes branches of a remote: `git push --force`, `--delete`, `+branch`',
    instead: 'push a new branch, or leave the push to a person',
  },
  'shell-rewrite-history': {
    finds: 'rewrites history or moves branches: `git reset --hard`, `rebase`, `commit --amend`',
    instead: 'change files only: git plan commits, and `git plan rollback` goes back',
  },
  'shell-moves-branch': {
    finds:
      'adds commits to the branch of the plan or leaves it: `git commit`, `merge`, `pull`, `switch`, `checkout -b`',
    instead: 'change files only: git plan commits the result of each step',
    severity: 'warning',
  },
  'shell-credentials': {
    finds: 'touches keys, passwords or tokens: `~/.ssh`, `~/.aws`, `/etc/shadow`, `gh auth token`',
    instead: 'name the variable in `secrets`, and read it from the environment',
  },
  'shell-send-data': {
    finds: 'sends files or output to the network: `curl -d @file`, `curl "https://…?$(cat file)"`, `nc`, `scp`',
    instead: 'move it to a script in the repository that shows what it sends',
  },
  'shell-privilege': {
    finds: 'takes or gives privileges: `sudo`, `su`, `chmod u+s`, `chmod -R 777`, `setcap`, `docker run -v /:…`',
    instead: 'grant only the permissions that are needed, or use a `manual` step',
  },
  'shell-fork-bomb': {
    finds: 'a function that starts itself forever',
    instead: 'remove it',
  },
  'shell-checks-off': {
    finds: 'turns checks off: `--no-verify`, `core.hooksPath`, `HUSKY=0`, `curl -k`, `npm test || true`',
    instead: 'make the check pass, or change it where it is defined',
  },
  'shell-obfuscated': {
    finds: 'hides what it runs: decoded text in a shell, `eval "$x"`, a computed program name, invisible characters',
    instead: 'write the command plainly',
  },
  'shell-background': {
    finds: 'leaves a process or a job behind: `nohup … &`, `setsid`, `crontab`, `systemctl start`',
    instead: 'end the process in the step that starts it',
  },
  'shell-machine': {
    finds: 'changes the machine: `shutdown`, `killall`, `mount`, system packages, `git config --global`',
    instead: 'use a `manual` step; name the tools that the plan needs in `requires`',
  },
  'shell-external-effect': {
    finds:
      'publishes, deploys or changes something elsewhere: `npm publish`, `git push`, `kubectl apply`, `DROP TABLE`',
    instead: 'add `effect: external` to the step, with `probe` and `undo`',
  },
} as const satisfies Readonly<Record<string, DangerRule>>

export type DangerName = keyof typeof dangerRules
