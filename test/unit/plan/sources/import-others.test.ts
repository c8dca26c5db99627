// Spec Kit, Backlog.md, Task Master, Kiro, Cursor, Claude Code, Codex, checklists; and which format a file has.

import { describe, expect, test } from 'vitest'
import { imported, namesOf, needsOf } from './import-helper.ts'

const json = (value: unknown): string => JSON.stringify(value, null, 2)

describe('Spec Kit', () => {
  const tasks = `# Tasks: Photo albums

## Phase 1: Setup ✅
- [x] T001 Create project structure
- [ ] T002 [P] Configure linting
- [ ] T003 [P] Add CI
  that goes on here
  - note of its own

## Phase 2: Story
### Tests
- [ ] T010 [P] [US1] [TEST] Contract test in tests/a_test.py
- [ ] T011 [P] [US1] Model in src/models/user.py
- [ ] T012 [P] [US1] Service in src/models/user.py
- [X] T013 Old way (skipped - not needed)
- [ ] T014: Endpoint (depends on T011, T099)

## Dependencies & Execution Order
- T014 blocks T001
- T001 blocks T012

## Parallel Example
\`\`\`text
- [ ] T011 again
\`\`\`

## Validation Checklist
- [x] All good
`
  test('order, parallel tasks, the same file, and prose about dependencies', () => {
    const made = imported({ 'tasks.md': tasks })
    expect(made.title).toBe('Photo albums')
    expect(made.states).toEqual([
      't001 done',
      't002 pending',
      't003 pending',
      't010 pending',
      't011 pending',
      't012 pending',
      't014 pending',
    ])
    expect(needsOf(made)).toEqual({
      t001: [],
      t002: ['t001'],
      t003: ['t001'],
      t010: ['t002', 't003'],
      t011: ['t002', 't003'],
      t012: ['t001', 't002', 't003', 't011'],
      t014: ['t011', 't010', 't012'],
    })
    expect(made.plan.steps[2]).toMatchObject({ title: 'Add CI that goes on here' })
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/"Phase 1: Setup ✅" says done, but 2 of its 3 tasks are open/)
    expect(notes).toMatch(/T010: \[TEST\] has no counterpart/)
    expect(notes).toMatch(/T013 .* is left out: \(skipped - not needed\)/)
    expect(notes).toMatch(/T014 needs T099, which is not in the plan/)
    expect(notes).toMatch(/T001 is said to need T014, which comes after it/)
    expect(notes).toMatch(/a box without the id of a task is not a step; kept as text: "All good"/)
  })

  test('a doubled id keeps the order of the file', () => {
    const made = imported({
      'tasks.md':
        '# Tasks: A\n## Phase 1: A\n- [ ] T001 One\n- [ ] T002 Two\n## Phase 2: B\n- [ ] T001 Again\n- [ ] T003 Three\n',
    })
    expect(needsOf(made)).toEqual({ t001: [], t002: ['t001'], 't001-2': ['t002'], t003: ['t001-2'] })
    expect(made.messages.join('\n')).toMatch(/6 contradiction: the id T001 is used twice \(first in line 3\)/)
  })

  test('without tasks it is refused', () => {
    expect(() => imported({ 'tasks.md': '- [ ] plain' }, { as: 'spec-kit' })).toThrow('it has no box with an id')
  })
})

describe('Task Master', () => {
  test('tags, subtasks with local ids, and states', () => {
    const made = imported({
      'tasks.json': json({
        master: {
          tasks: [
            { id: 1, title: 'Base', status: 'done', dependencies: [] },
            {
              id: 2,
              title: 'API',
              status: 'done',
              dependencies: [1],
              details: 'How',
              testStrategy: 'curl',
              subtasks: [
                { id: 1, title: 'Route', status: 'in-progress', dependencies: [] },
                { id: 2, title: 'Docs', status: 'pending', dependencies: [1] },
              ],
            },
            { id: '3', title: 'UI', status: 'deferred', dependencies: ['2.2', 9, 4] },
            { id: 4, title: 'Gone', status: 'cancelled', dependencies: [1] },
            { id: 5, title: 'Odd', status: 'frozen', dependencies: [5] },
          ],
          metadata: { projectName: 'Shop' },
        },
        feature: { tasks: [{ id: 1, title: 'x', status: 'pending' }] },
      }),
    })
    expect(made.title).toBe('Shop')
    expect(made.states).toEqual(['1 done', '2-1 unknown', '2-2 pending', '2 done', '3 pending', '5 unknown'])
    expect(needsOf(made)).toEqual({
      '1': [],
      '2-1': ['1'],
      '2-2': ['1', '2-1'],
      '2': ['1'],
      '3': ['2-2', '1'],
      '5': ['3'],
    })
    expect(made.text).toContain('testStrategy: curl')
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/the tag "feature" with 1 tasks is not carried over/)
    expect(notes).toMatch(/task 2 is done, but its subtasks 2.1, 2.2 are not/)
    expect(notes).toMatch(/3 needs 9, which is not in the plan/)
    expect(notes).toMatch(/5 needs itself/)
    expect(notes).toMatch(/no dependency of 5 is in the plan; it needs 3, the step before/)
    expect(notes).toMatch(/task 3 is deferred, which has no counterpart/)
    expect(notes).toMatch(/"frozen", which is unknown/)
    expect(made.notes.every(({ line }) => line !== undefined)).toBe(true)
  })
})

describe('Backlog.md', () => {
  const task = (id: string, status: string, more = '', body = '') => `---
id: ${id}
title: Do ${id}
status: ${status}
assignee: @ada
created_date: '2026-01-01'
${more}---
## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Why.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 One
- [ ] #2 Two
<!-- AC:END -->
${body}`

  test('a directory is one plan; places are not statuses', () => {
    const made = imported(
      {
        'config.yml': 'statuses: ["To Do", "In Progress", "Shipped"]\n',
        'tasks/back-2 - b.md': task('BACK-2', 'To Do', 'dependencies:\n  - TASK-01\n'),
        'tasks/back-10 - c.md': task('BACK-10', 'In Progress', 'dependencies: [BACK-2]\n'),
        'completed/back-1 - a.md': task('BACK-1', 'Shipped'),
        'archive/tasks/back-3 - d.md': task('BACK-3', 'To Do'),
        'drafts/draft-4 - e.md': task('DRAFT-4', 'Draft'),
        'tasks/back-9 - f.md': '# Without front matter\n',
      },
      { location: '/home/ada/shop/backlog' },
    )
    expect(made.title).toBe('Tasks of shop')
    expect(made.states).toEqual(['back-1 done', 'back-2 pending', 'back-10 unknown'])
    expect(needsOf(made)).toEqual({ 'back-1': [], 'back-2': ['back-1'], 'back-10': ['back-2'] })
    expect(made.plan.steps[1]).toMatchObject({ owner: '@ada', criteria: [{ text: 'One [x]' }, { text: 'Two' }] })
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/back-3 \(Do BACK-3\) is left out: it is archived with the status To Do/)
    expect(notes).toMatch(/it is a draft, not a task/)
    expect(notes).toMatch(/task-1 \(back-1\)/)
    expect(made.notes.find(({ file }) => file === 'tasks/back-9 - f.md')?.message).toMatch(/^it has no front matter/)
    expect(notes).toMatch(/back-1 is done, but 1 of 2 criteria are not ticked/)
  })

  test('an id that two files have is named with the first of them', () => {
    const made = imported(
      { 'tasks/a.md': task('T-1', 'Done'), 'tasks/b.md': task('T-1', 'To Do') },
      { location: '/home/ada/shop/backlog' },
    )
    expect(made.messages.join('\n')).toMatch(/the id t-1 is used twice \(first in tasks\/a.md, line 2\)/)
  })

  test('a single task is a plan of one step', () => {
    const made = imported({ 'task-7 - x.md': task('task-7', 'Merged into 12', 'dependencies: [task-1]\n') })
    expect(made.states).toEqual(['task-7 unknown'])
    expect(made.messages.join('\n')).toMatch(/it depends on task-1, which a single task does not carry over/)
  })
})

describe('Kiro', () => {
  test('two levels, marks, optional tasks and stated dependencies', () => {
    const made = imported(
      {
        'tasks.md': `# Implementation Plan

- [x] 1. Set up
  - Make directories
  - _Requirements: 1.1_
- [x] 2. Build
- [x] 2.1 Model
- [-] 2.2 Service (P)
- [ ]* 2.3 Tests (P)
  - _Depends: 1_
- [ ] 3. Ship
`,
      },
      { location: '/repo/.kiro/specs/login/tasks.md' },
    )
    expect(made.title).toBe('login')
    expect(made.states).toEqual(['1 done', '2-1 done', '2-2 unknown', '2-3 pending', '2 done', '3 pending'])
    expect(needsOf(made)).toMatchObject({
      '2-2': ['2-1', '1'],
      '2-3': ['1', '2-1'],
      '2': ['2-1'],
      '3': ['2', '2-2', '2-3'],
    })
    const notes = made.messages.join('\n')
    expect(notes).toMatch(/task 2 is ticked, but 2.2 is not/)
    expect(notes).toMatch(/task 2.3 is optional/)
    expect(notes).toMatch(/task 2.2 is in progress/)
  })
})

test('Kiro: a number with a letter is a task, and boxes without a number are listed, wherever they are', () => {
  const made = imported({
    '.kiro/specs/shop/tasks.md': [
      '# Implementation Plan',
      '',
      '- [ ] 1. Cart',
      '  - [x] 1.1 Add',
      '    - [ ] with a test',
      '  - [x] 1.1a Add, again',
      '    - _Requirements: 1.1_',
      '- [ ] 2. Pay',
      '  - _Depends: 1.1a_',
      '- [ ] 3d views are for later',
      '',
    ].join('\n'),
  })
  expect(made.states).toEqual(['1-1 done', '1-1a done', '1 pending', '2 pending'])
  expect(needsOf(made)['2']).toContain('1-1a')
  expect(made.messages.filter((message) => message.includes('without a number'))).toEqual([
    '5 lost: a box without a number is not a task; kept as text: with a test',
    '10 lost: a box without a number is not a task; kept as text: 3d views are for later',
  ])
})

describe('Cursor', () => {
  test('to-dos of the front matter', () => {
    const made = imported({
      'x_12ab34cd.plan.md': `---
name: Split it
overview: "Because: reasons"
todos:
  - id: create_dir
    content: "Make: a directory"
    status: completed
  - id: create-dir
    content: Move
    status: in_progress
    dependencies: [create_dir, nope]
isProject: false
---
# Body
`,
    })
    expect(made.title).toBe('Split it')
    expect(made.states).toEqual(['create-dir-2 done', 'create-dir unknown'])
    expect(needsOf(made)).toEqual({ 'create-dir-2': [], 'create-dir': ['create-dir-2'] })
    expect(made.messages.join('\n')).toMatch(/create-dir needs nope, which is not in the plan/)
    expect(made.plan.prose).toContain('# Body')
  })

  test('front matter that is not YAML is read line by line; empty to-dos leave the numbered headings', () => {
    const broken = imported({
      'a.plan.md': '---\nname: a: b: c\ntodos:\n  - id: one\n    content: x: y: z\n    status: completed\n---\n',
    })
    expect(broken.states).toEqual(['one done'])
    expect(broken.messages.join('\n')).toMatch(/the front matter is not YAML/)
    // As an agent writes it: a colon in a plain text, lists in the entries, and a text that goes on below.
    const nested = imported({
      'd.plan.md': [
        '---',
        'name: Phases',
        'overview: All of them. Source: docs/outline.md',
        'todos:',
        '  - id: phase-0',
        '    content: Phase 0: Setup',
        '    status: completed',
        '  - id: other',
        '    content: Elsewhere',
        '    status: pending',
        '    dependencies: []',
        '  - id: phase-1',
        '    content: Phase 1: Cart, and',
        '      the totals',
        '    status: in_progress',
        '    dependencies:',
        '      - phase-0',
        'isProject: false',
        '---',
        '',
      ].join('\n'),
    })
    expect(nested.states).toEqual(['phase-0 done', 'other pending', 'phase-1 unknown'])
    expect(nested.plan.steps[2]).toMatchObject({ title: 'Phase 1: Cart, and the totals', needs: ['phase-0'] })
    expect(nested.messages.filter((message) => message.includes('to-do'))).toEqual([])
    expect(nested.messages.join('\n')).toMatch(/^12 unknown: phase-1 is "in_progress"/m)
    const empty = imported({ 'b.plan.md': '---\nname: b\ntodos: []\n---\n## 1. First\ntext\n## 2. Second ✅\n' })
    expect(empty.states).toEqual(['step-1 pending', 'step-2 done'])
    const old = imported({ 'c.plan.md': '# Old\n- [ ] not this\n### To-dos\n- [x] a\n- [ ] b\n' })
    expect(old.states).toEqual(['item-1 done', 'item-2 pending'])
  })
})

describe('Claude Code and Codex', () => {
  test('numbered headings of the first section of steps, not those in fences', () => {
    const made = imported(
      {
        'calm-blue-fox.md':
          '# Plan: Faster\n\n## Context\nSlow.\n\n## Changes\n### 1. Cache\n```md\n### 2. not this\n```\n### Step 2: Measure\n\n## Verification\n1. run\n',
      },
      { location: '/home/a/.claude/plans/calm-blue-fox.md' },
    )
    expect(made.title).toBe('Faster')
    expect(made.plan.steps.map(({ title }) => title)).toEqual(['Cache', 'Measure'])
    expect(made.plan.prose).toContain('## Verification')
    expect(made.messages.join('\n')).toMatch(/has no state/)
    const list = imported({ 'x.md': '# Plan\n## Steps\n1. One\n   more\n2. Two\n' }, { as: 'claude-code' })
    expect(list.plan.steps.map(({ title }) => title)).toEqual(['One', 'Two'])
  })

  test('only the boxes of Progress, with times and parts', () => {
    const made = imported({
      'plan.md': `# Move to Rust

## Purpose / Big Picture
- [ ] not this

## Progress
- [x] (2025-10-01 13:00Z) Parse
- [ ] Print (completed: text; remaining: colors)
- [completed] Test
1. [ ] Ship
   - [ ] tag

## Decision Log
`,
    })
    expect(made.title).toBe('Move to Rust')
    expect(made.plan.steps.map(({ title }) => title)).toEqual([
      'Parse',
      'Print (completed: text; remaining: colors)',
      'Test',
      'Ship',
    ])
    expect(made.states.map((each) => each.split(' ')[1])).toEqual(['done', 'unknown', 'done', 'pending'])
    expect(made.text).toContain('2025-10-01 13:00Z')
    expect(() => imported({ 'PLANS.md': '# Rules\n\n    ## Progress\n    - [ ] x\n' }, { as: 'exec-plan' })).toThrow(
      'rule book',
    )
  })
})

describe('checklists and detection', () => {
  test('deeper boxes belong to the one above, headings group, and fences and comments do not count', () => {
    const made = imported({
      'todo.md': `# 移行計画
## Later
- [x] One
  - [ ] inner
  text
<!--
- [ ] hidden
-->
* [ ] ${'long '.repeat(40)}
1) [ ] Three
\`\`\`
- [ ] no
\`\`\`
free text
`,
    })
    expect(made.title).toBe('移行計画')
    expect(made.states).toEqual(['item-1 done', 'item-2 pending', 'item-3 pending'])
    expect(made.plan.steps[0]!.criteria).toMatchObject([{ text: 'inner' }])
    expect(made.plan.steps[1]!.title).toMatch(/…$/)
    expect((made.plan.steps[1]!.spec as { manual: string }).manual).toContain('long '.repeat(40).trim())
    expect(made.messages.join('\n')).toMatch(/"One" is ticked, but 1 of 1 boxes below it are not/)
    expect(made.plan.prose).toContain('free text')
    expect(made.plan.prose).toContain('hidden')
  })

  test('a cycle is broken and named, and hostile text stays text', () => {
    const made = imported({
      'tasks.json': json({
        tasks: [
          {
            id: 'a',
            title: 'A "q" # x: y\u2028\u0000\ud800',
            status: 'pending',
            dependencies: ['b'],
            details: ' lead\n---\nstatus: done',
          },
          { id: 'b', title: '', status: 'pending', dependencies: ['a'], details: '- !!js x\n\ttab\r\n' },
        ],
      }),
    })
    expect(made.steps).toHaveLength(2)
    expect(made.messages.join('\n')).toMatch(/needs a, which needs it in turn|needs b, which needs it in turn/)
  })

  test('an ambiguous file has several candidates, and other files none', () => {
    expect(namesOf({ 'a.md': '# Plan: x\n- [ ] one\n' })).toEqual(['claude-code', 'checklist'])
    expect(namesOf({ 'a.md': 'nothing here\n' })).toEqual([])
    expect(namesOf({ 'a.json': '{"name": "package"}' })).toEqual([])
  })

  test('too many steps are refused early, and a line of a machine stays prose', () => {
    expect(() => imported({ 'a.md': '- [ ] a\n'.repeat(5000) })).toThrow('it has 5000 steps; a plan has at most 1000')
    const made = imported({ 'a.md': `- [ ] one\n\n- [ ] ${'x'.repeat(6000)}\n` })
    expect(made.steps).toHaveLength(1)
    expect(made.plan.prose).toContain('x'.repeat(6000))
  })
})

test('the rule book of ExecPlans is refused, and indented code has no boxes', () => {
  const rules = `# Codex Execution Plans (ExecPlans):

How to write an ExecPlan.

    # <Title>

    ## Progress

    - [x] (2025-10-01 13:00Z) Example completed step.
    - [ ] Example incomplete step.

Text.
`
  const files = { '.agent/PLANS.md': rules }
  expect(namesOf(files)).toEqual(['exec-plan'])
  expect(() => imported(files)).toThrow('PLANS.md itself is the rule book, not a plan')
  const made = imported({ 'list.md': '- [ ] one\n\n    - [x] inner\n\nText\n\n    - [ ] code\n\n- [ ] two\n' })
  expect(made.plan.steps.map(({ title }) => title)).toEqual(['one', 'two'])
  expect(made.plan.steps[0]!.criteria).toHaveLength(1)
})

test('a checklist names numbered lines without a box, and boxes with an unknown mark', () => {
  const made = imported({ 'list.md': '- [ ] one\n- [y] odd\n\n1. unread numbered\n2. too\n\nText\n\n7. alone\n' })
  expect(made.messages).toEqual([
    '2 unknown: the box [y] is unknown; kept as text: "odd"',
    '4 lost: a numbered line without a box is not a step; kept as text: "1. unread numbered" and 1 more',
    '9 lost: a numbered line without a box is not a step; kept as text: "7. alone"',
  ])
})

test('Kiro: a task with an unknown mark is a step whose state is not known', () => {
  const made = imported({ 'tasks.md': '# Implementation Plan\n\n- [x] 4. Done\n- [?] 5. odd\n- [ ] 4. Twice\n' })
  expect(made.states).toEqual(['4 done', '5 unknown', '4-2 pending'])
  expect(needsOf(made)).toMatchObject({ '5': ['4'], '4-2': ['5'] })
  expect(made.messages).toEqual([
    '4 unknown: task 5 has the unknown mark [?]: it may or may not be done',
    '5 contradiction: the id 4 is used twice (first in line 3); needs refer to the first',
  ])
})
