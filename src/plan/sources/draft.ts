// The files that `new TITLE` and `template new` write. They teach: every verb has an example as a comment.

import { draftStep } from '../model/draft.ts'
import { slug } from '../model/names.ts'
import { singleLine } from '../text/display.ts'
import { verbs } from '../verbs/index.ts'

/** Lines below the dash of each verb. A verb without an example is shown with its summary. */
const examples: Readonly<Record<string, readonly string[]>> = {
  run: ['run: npm test', 'timeout: 5m'],
  create: ['create: src/limit.ts', 'content: |', '  export const limit = 100'],
  edit: ['edit: src/app.ts', 'replace: app.use(router)', 'with: app.use(limiter, router)'],
  edits: [
    'edits:',
    '  - {file: src/a.ts, replace: limit, with: rate}',
    '  - {file: src/b.ts, replace: limit, with: rate}',
  ],
  patch: ['patch: |', '  --- a/src/a.ts', '  +++ b/src/a.ts', '  @@ -1 +1 @@', '  -old', '  +new'],
  refactor: ['refactor: {pattern: log($A), rewrite: logger.info($A), language: typescript, over: ["src/**"]}'],
  delete: ['delete: [src/legacy, test/legacy.test.ts]'],
  move: ['move: src/util.ts', 'to: src/money.ts'],
  install: ['install: express-rate-limit@^7', 'files: [package.json, package-lock.json]'],
  agent: [
    'agent: claude',
    'prompt: Write a function that …, with tests.',
    'files: [src/**, test/**]',
    'test: npm test',
  ],
  manual: ['manual: Put the new key into the vault', 'verify: vault has payment-key'],
  gate: ['gate: Is the release announced?'],
}

const stepLines = (): string[] =>
  Object.values(verbs).flatMap(({ name, summary }) => {
    const [first, ...rest] = examples[name] ?? [`${name}: …`]
    return [`# ${summary}`, `#  - ${first}`, ...rest.map((line) => `#    ${line}`)]
  })

const guide = (): string[] => [
  '# Each step has exactly one verb. Remove what you do not need:',
  ...stepLines(),
  '# Another plan, flattened into this one:',
  '#  - include: { template: upgrade-dependency }',
  '#    with: { package: express }',
]

/** It is valid in every repository, and has the keys that most steps need. */
const example = (title: string): string[] => {
  const file = `docs/${slug(title, 'plan')}.md`
  return [
    '  - id: replace-this-step      # an example of a step',
    `    title: ${draftStep}`,
    '    needs: []                  # default: the step before',
    `    create: ${file}`,
    `    content: ${JSON.stringify(`# ${singleLine(title)}\n`)}`,
    `    files: [${file}]   # a change outside these files fails the step`,
    '    verify:                    # after it, this must hold; `test: true` runs the `test` of the plan',
    `      - not_empty: ${file}`,
  ]
}

const prose = 'Why this change is needed, which alternatives were considered, what reviewers should check.'

export const draftText = (title: string): Uint8Array =>
  new TextEncoder().encode(
    [
      '---',
      `title: ${JSON.stringify(title)}`,
      '# requires: [node, npm]      # programs that must be on PATH',
      '# test: npm test             # what `test: true` runs',
      'steps:',
      ...example(title),
      ...guide(),
      '---',
      '',
      prose,
      '',
    ].join('\n'),
  )

export const templateText = (name: string): string =>
  [
    '---',
    `title: ${name} \${{ params.name }}`,
    'params:',
    '  name:',
    '    type: string             # string, number, boolean, choice, path or list',
    '    description: what it is for',
    "    pattern: '[a-z][a-z0-9-]*'",
    '  directory:',
    '    type: path',
    '    default: src',
    'steps:',
    '  - id: create',
    '    title: Create ${{ params.name }}',
    '    create: ${{ params.directory }}/${{ params.name }}.txt',
    '    content: |',
    '      ${{ params.name }}',
    '  - id: check',
    '    # Shell commands get the values as environment variables.',
    '    run: test -s "$PLAN_PARAM_DIRECTORY/$PLAN_PARAM_NAME.txt"',
    '    changes: none',
    ...guide(),
    '---',
    '',
    'When to use this template, and what it does.',
    '',
  ].join('\n')
