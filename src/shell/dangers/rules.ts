// Every rule about shell commands: what it finds, and what to write instead.

export interface DangerRule {
  /** What it finds, for the documentation. */
  readonly finds: string
  /** What to write instead. */
  readonly instead: string
}

export const dangerRules = {
  'shell-unparsable': {
    finds: 'a command that cannot be parsed, or is too long or too deep, and so cannot be judged',
    instead: 'correct it, or put it into a script of the repository that is reviewed',
  },
  'shell-delete-outside': {
    finds:
      'deletes outside the repository: absolute paths, `~`, `..`, or a variable that may be empty in front of a `/`',
    instead: 'delete by a path in the repository; write `"${NAME:?}/"` where a variable must not be empty',
  },
  'shell-delete-repository': {
    finds: 'deletes the repository itself: `.`, `*`, `.git`',
    instead: 'name the directories that are to go, or use the verb `delete`',
  },
  'shell-clean-ignored': {
    finds: 'removes ignored files, which nothing brings back: `git clean -x`',
    instead: 'remove the build products by name',
  },
  'shell-device': {
    finds: 'writes to a device or a disk: `> /dev/sda`, `dd of=/dev/…`, `mkfs`',
    instead: 'leave disks to people',
  },
  'shell-write-outside': {
    finds: 'writes outside the repository: absolute paths but those for temporary files, `~`, `..`, `tar -P`',
    instead: 'write into the repository, or into a directory that `mktemp -d` made',
  },
  'shell-git-directory': {
    finds: 'writes into `.git`, which belongs to git and to the executor',
    instead: 'let git change its own files; hooks and settings are for people',
  },
  'shell-network-to-shell': {
    finds:
      'runs what the network sends: `curl … | sh`, `bash <(curl …)`, a file that was just fetched or copied from one, `npx https://…`',
    instead: 'add the script to the repository, or fetch it and compare its digest in a step of its own',
  },
  'shell-force-push': {
    finds: 'overwrites or deletes branches of a remote: `git push --force`, `--delete`, `+branch`',
    instead: 'push a new branch, or leave the push to a person',
  },
  'shell-rewrite-history': {
    finds:
      "rewrites history or moves branches, which disturbs the executor's own branch: `git reset --hard`, `rebase`, `commit --amend`",
    instead: 'change files only: the executor commits, and `git plan rollback` goes back',
  },
  'shell-credentials': {
    finds: 'touches keys, passwords or tokens: `~/.ssh`, `~/.aws`, `/etc/shadow`, `gh auth token`',
    instead: 'name the variable in `secrets`, and take it from the environment',
  },
  'shell-send-data': {
    finds:
      'sends files or output to the network: `curl -d @file`, `curl -T`, `curl "https://…?$(cat file)"`, `nc host < file`, `scp`',
    instead: 'make it a script of the repository that says what it sends',
  },
  'shell-privilege': {
    finds:
      'takes or gives rights: `sudo`, `su`, `run0`, `setpriv`, `chmod u+s`, `chmod -R 777`, `setcap`, `docker run -v /:…`',
    instead: 'run it as yourself; what needs more rights is for a person',
  },
  'shell-fork-bomb': {
    finds: 'a function that starts itself again and again',
    instead: 'leave it out',
  },
  'shell-checks-off': {
    finds:
      'switches checks off: `--no-verify`, `core.hooksPath`, `HUSKY=0`, `curl -k`, `NODE_TLS_REJECT_UNAUTHORIZED=0`, `npm test || true`',
    instead: 'make the check pass, or change it where it is defined',
  },
  'shell-obfuscated': {
    finds:
      'hides what it runs: decoded text in a shell, `eval` of what is not written there, a program name that is computed, characters that are not seen',
    instead: 'write the command plainly',
  },
  'shell-background': {
    finds: 'leaves a process or a job behind: `nohup … &`, `setsid`, `crontab`, `systemctl start`',
    instead: 'end what the step starts in the same step',
  },
  'shell-machine': {
    finds: 'changes the machine: `shutdown`, `killall`, `mount`, system packages, `git config --global`',
    instead: 'name what is needed in `requires`, and let people install it',
  },
  'shell-external-effect': {
    finds:
      'publishes, deploys or changes something elsewhere, in a step that does not say so: `npm publish`, `git push`, `kubectl apply`, `DROP TABLE`',
    instead: 'add `effect: external` to the step, with `probe` and `undo`',
  },
} as const satisfies Readonly<Record<string, DangerRule>>

export type DangerName = keyof typeof dangerRules
