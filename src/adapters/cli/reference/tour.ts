// The introduction of the manual page. A list of lines is a code block.

export const tour: {
  readonly description: readonly string[]
  readonly blocks: readonly (string | readonly string[])[]
} = {
  description: [
    [
      "**git plan** runs multi-step changes (upgrades, migrations, refactorings, an agent's to-do list) as one commit per",
      'step. You write the steps in a file, somebody reviews and approves it, and the program runs them. If a step fails,',
      'the completed steps are commits, the changes of the failed one are saved, and the work tree is clean again. Fix the',
      'problem and resume, today or next week. Roll back to any step, and undo the rollback.',
    ].join('\n'),
    [
      'A plan is a branch, `plan/<id>`; its file `.plans/<id>.md` lists the steps and which of them are done. A step is a',
      'commit, with its changes and the updated plan file. Only approved plans run: the approval names the digest of the',
      'plan, and a changed plan needs a new approval. Git is the only store: there is no server, no database and no state',
      'outside the repository.',
    ].join('\n'),
    [
      'A plan runs commands with your permissions: read it as you would read a script. **git plan** itself never commits,',
      'moves or removes ignored files, and a rollback does not restore ignored files that a command changed.',
    ].join('\n'),
  ],
  blocks: [
    [
      'Write a plan, here `.plans/greet.md`: Markdown with YAML front matter. Each step has one verb: `run`, `create`, `edit`,',
      '`edits`, `patch`, `refactor`, `delete`, `move`, `install`, `manual` or `gate`.',
    ].join('\n'),
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
    'Validate it and see how risky it is, then run it. Without `--approve` it asks, or stops if there is no terminal.',
    ['git plan check .plans/greet.md', 'git plan start .plans/greet.md --approve'],
    [
      'The second step fails: the script does not greet the world. You are on the branch `plan/greet`, the work tree is',
      'clean, and the first step is a commit. Read the output of the step, fix the script, and resume:',
    ].join('\n'),
    ['git plan log --output test', "echo 'echo hello world' > greet.sh", 'git plan resume --fix'],
    'Other ways to continue are `--retry STEP`, `--done STEP` and `--skip STEP` of **git-plan-resume**(1).',
    'Roll back to a step, and undo that:',
    ['git plan rollback --to script', 'git plan rollback --undo'],
    'Merge the plan and return to your previous branch:',
    ['git plan finish'],
    'At any time, `git plan status` shows the state of the plan and the next command.',
  ],
}
