// The way through the program, for the manual page. A list of lines is shown as it is.

export const tour: { readonly description: readonly string[]; readonly blocks: readonly (string | readonly string[])[] } = {
  description: [
    [
      "**git plan** carries out changes that take several steps: an upgrade, a migration, a refactoring, an agent's to-do list. You write the steps into a file,",
      'somebody reads and approves it, and the program carries them out, one commit a step. When a step fails, the steps before it are safe, what the failed one',
      'left is saved, and the tree is clean again. You fix what is wrong and go on from there, on this day or another. You can go back to any step, and take',
      'that back too.',
    ].join('\n'),
    [
      'A plan is a branch, `plan/<id>`; its file `.plans/<id>.md` says what is to be done and what is done. A step is a commit: its changes and the plan file that',
      'says "done", together. Only what was approved runs: the approval names the digest of the plan, and a changed plan needs a new one. Nothing but Git is',
      'needed: no server, no database, no state beside the repository.',
    ].join('\n'),
    [
      'A plan runs commands with your rights: read it as you would read a script. Ignored files are never committed, moved or removed by **git plan** itself, and no',
      'rollback brings back what a command did to them.',
    ].join('\n'),
  ],
  blocks: [
    'Write a plan, here `.plans/greet.md`: Markdown with YAML front matter. Each step has one verb: `run`, `create`, `edit`, `delete`, `move`, `manual` or `gate`.',
    [
      '---',
      'title: Greet the world',
      'steps:',
      '  - id: script',
      '    create: greet.sh',
      '    content: |',
      '      echo hello',
      '  - id: test',
      '    run: sh greet.sh | grep world',
      '  - id: docs',
      '    edit: README.md',
      '    append: Run `sh greet.sh`.',
      '---',
    ],
    'Is it valid, and how much can go wrong? Then carry it out; without `--approve` it asks, or stops where there is nobody to ask.',
    ['git plan check .plans/greet.md', 'git plan start .plans/greet.md --approve'],
    [
      'The second step fails: the script does not greet the world. You are on the branch `plan/greet`, the tree is clean, and the first step is a commit. Look at what the',
      'step printed, repair the script, and go on:',
    ].join('\n'),
    ['git plan log --output test', "echo 'echo hello world' > greet.sh", 'git plan resume --fix'],
    'Other ways on are `--retry STEP`, `--done STEP` and `--skip STEP` of **git-plan-resume**(1). Back to a step, and back again:',
    ['git plan rollback --to script', 'git plan rollback --undo'],
    'Merge it, and return to the branch that you came from:',
    ['git plan finish'],
    'At any moment `git plan status` says where the plan stands, and what to type next.',
  ],
}
