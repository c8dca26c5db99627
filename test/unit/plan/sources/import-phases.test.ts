// Plans of phases, in their four shapes.

import { expect, test } from 'vitest'
import { imported, namesOf, needsOf } from './import-helper.ts'

const template = `# Type analysis

**Created:** 2026-01-02
**Status:** Reviewed - Ready for Implementation

## Phases

### Phase 1: Model ✅ COMPLETE

**Principal Owner:** Schema Architect
**Goal:** A model.
**Dependencies:** None (phase 3 comes later)
**Blast Radius:** \`""\`

**Technical Details:**

\`\`\`rust
### Phase 9: in a fence
\`\`\`

**Acceptance Criteria:**
- [ ] It compiles
- [x] It is **small**

---

### Phase 2.5: Parser

**Principal Owner:** A (implementation) + B (review)
**Dependencies:** Phase 1 (the parser of phase 3 waits)

### Phase 3a: Storage

**Dependencies:** Phases 1-2.5

### Phase 3a: Storage again

### Phase 4: SKIPPED - Report
**Dependencies:** All previous phases

### Phase 5: End
**Dependencies:** the design of the team
**Status:** weird

### Phase 1 Internal Parallelization

Some text.

## Parallelization Opportunities

| Parallel Group | Phases | Reason |
| --- | --- | --- |
| Group A | Phase 1, Phase 2.5 | independent |
| Sequential | 1 → 2.5 → 3a | |

## Review

Phase 3a was deferred by the review.
`

test('the template: owners, needs, criteria, states and contradictions', () => {
  const made = imported({ '2026-01-02.types.md': template })
  expect(made.title).toBe('Type analysis')
  expect(made.states).toEqual(['phase-1 done', 'phase-2-5 pending', 'phase-3a pending', 'phase-5 unknown'])
  expect(needsOf(made)).toEqual({
    'phase-1': [],
    'phase-2-5': ['phase-1'],
    'phase-3a': ['phase-1', 'phase-2-5'],
    'phase-5': ['phase-3a'],
  })
  const [first, second] = made.plan.steps
  expect(first).toMatchObject({ title: 'Model', owner: 'Schema Architect', goal: 'A model.' })
  expect(first!.criteria.map(({ text }) => text)).toEqual(['It compiles', 'It is small'])
  expect((first!.spec as { manual: string }).manual).toContain('### Phase 9: in a fence')
  expect(second!.owner).toBe('A (implementation) + B (review)')
  const notes = made.messages.join('\n')
  expect(notes).toMatch(/4 approval: the plan is "Reviewed/)
  expect(notes).toMatch(/contradiction: only 1 of the 2 criteria/)
  expect(notes).toMatch(/contradiction: Phase 3a is there twice/)
  expect(notes).toMatch(/lost: phase 4 \(Report\) is left out: its heading says SKIPPED/)
  expect(notes).toMatch(/unknown: the dependencies of phase 5 name no phase/)
  expect(notes).toMatch(/unknown: the status of phase 5 is "weird"/)
  expect(notes).toMatch(/lost: "Phase 1 Internal Parallelization" looks like a phase/)
  expect(notes).toMatch(/contradiction: Group A has phases 1 and 2.5 side by side/)
  expect(notes).toMatch(/contradiction: phase 3a is said to be deferred/)
  // Nothing is lost: what is in no step is prose.
  for (const text of ['**Created:** 2026-01-02', 'Some text.', 'Storage again', '| Group A |'])
    expect(made.plan.prose).toContain(text)
})

test('fields in a table, front matter, and groups as bullets', () => {
  const made = imported({
    'b.md': `---
title: Tables
status: "executing: phase 1"
---
### Phase 0: First
| Field | Value |
| --- | --- |
| **Principal Owner** | Ada |
| **Dependencies** | None |

### Phase 1: Second
| **Dependencies** | Phase 0 complete |

### Phase 2: Third
| **Dependencies** | Phase 0 & 1 |

## Parallelization

- **Group A**: Phases 0, 2 (why not)
`,
  })
  expect(made.title).toBe('Tables')
  expect(made.states).toEqual(['phase-0 unknown', 'phase-1 unknown', 'phase-2 pending'])
  expect(needsOf(made)['phase-2']).toEqual(['phase-0', 'phase-1'])
  expect(made.plan.steps[0]!.owner).toBe('Ada')
  expect(made.messages.join('\n')).toMatch(/Group A has phases 0 and 2 side by side/)
})

test('two lines of an agent; done of the whole plan is said to be only that', () => {
  const made = imported(
    {
      '2026-01-29.plan-for-x.md': `---
status: done
subagents: [general-purpose]
---
# Planning Process
- [x] Clarify

## Plan

### Phase 6: Images
**Agent:** \`general-purpose\` | **Skills:** rust | **Complexity:** Low
**Deps:** None | **Parallel:** Yes (with Phase 7)

**Goal:** Show.

**Pass when:**
- [ ] It shows

**If failed:** Revert

### Phase 7: Text
**Deps:** Phase 6 | **Parallel:** No
`,
    },
    {},
  )
  expect(made.title).toBe('plan-for-x')
  expect(made.states).toEqual(['phase-6 done', 'phase-7 done'])
  expect(made.plan.steps[0]).toMatchObject({ owner: 'general-purpose', criteria: [{ text: 'It shows' }] })
  const notes = made.messages.join('\n')
  expect(notes).toMatch(/2 unknown: only the status of the plan \(done\) says that its phases are done/)
  expect(notes).toMatch(/phase 6 is parallel with phase 7, but one of them needs the other/)
})

test('the record of an execution', () => {
  const made = imported({
    'execution-of-x.md': `---
plan_file: .ai/plans/x.md
phases: 3
status: done
---
- [x] Phase 1: Model [completed 2 March 2026 at 10:00:00]
    - [x] Write it
    - [ ] Test it
- [ ] Phase 2: Parser
    - [x] Read
- [ ] Phase 3: End
`,
  })
  expect(made.states).toEqual(['phase-1 done', 'phase-2 unknown', 'phase-3 pending'])
  expect(made.text).toContain('completed 2 March 2026 at 10:00:00')
  const notes = made.messages.join('\n')
  expect(notes).toMatch(/Phase 1 is ticked, but 1 of 2 boxes/)
  expect(notes).toMatch(/the execution is "done", but Phase 3 is not ticked/)
  expect(notes).toMatch(/owners and dependencies are in \.ai\/plans\/x\.md/)
})

test('checkpoints in a fence, and a list of completed phases', () => {
  const made = imported({
    'c.md': `# X
### Phase 1: A
**Goal:** a
### Phase 2: B
**Goal:** b
### Phase 3: C
**Goal:** c
### Phases Completed
- ✅ Phase 3: C
## End
\`\`\`yaml
## Execution Checkpoints
- phase_1:
    status: complete
- phase_2:
    status: failed
    error: "boom"
\`\`\`
`,
  })
  expect(made.states).toEqual(['phase-1 done', 'phase-2 failed', 'phase-3 done'])
  expect(made.text).toContain('error boom')
})

test('a file without phases is refused, and tasks of Spec Kit are not phases', () => {
  expect(() => imported({ 'a.md': '# Title\n\ntext' }, { as: 'phases' })).toThrow('it has no heading such as')
  expect(namesOf({ 'tasks.md': '## Phase 1: Setup\n**Goal:** x\n- [ ] T001 Start\n' })).toEqual(['spec-kit'])
})

test('an execution names phases that are begun, not ticked or without a box', () => {
  const made = imported({
    'execution-of-x.md':
      '---\nplan_file: x.md\nphases: 4\n---\n- [x] Phase 1: A\n- [ ] Phase 2: B\n  - [x] part\n  - [ ] rest\n- [~] Phase 3: C\n- Phase 4: no box\n- [x] Phase 5: E\n',
  })
  expect(made.states).toEqual(['phase-1 done', 'phase-2 unknown', 'phase-3 unknown', 'phase-5 done'])
  const notes = made.messages.join('\n')
  expect(notes).toMatch(/6 contradiction: Phase 2 is not ticked, but the one in line 11 after it is/)
  expect(notes).toMatch(/6 unknown: Phase 2 is begun \(1 of 2 boxes below it are ticked\): it may or may not be done/)
  expect(notes).toMatch(/9 unknown: Phase 3 is begun \(box \[~\]\): it may or may not be done/)
  expect(notes).toMatch(/10 lost: a phase without a box is not a step; kept as text: "Phase 4: no box"/)
})

test('a heading that says pending over ticked criteria is a contradiction, and an unknown dependency is the phase before', () => {
  const made = imported({
    'a.md': `# A

### Phase 1: One
**Dependencies:** None

### Phase 2: Two PENDING
**Dependencies:** Phase 9
**Acceptance Criteria:**
- [x] good
`,
  })
  expect(needsOf(made)).toEqual({ 'phase-1': [], 'phase-2': ['phase-1'] })
  const notes = made.messages.join('\n')
  expect(notes).toMatch(
    /6 contradiction: phase 2: its heading says PENDING \(pending\), but all its criteria are ticked/,
  )
  expect(notes).toMatch(/phase 2 needs phase 9, which is not in the plan/)
  expect(notes).toMatch(/no dependency of phase 2 is in the plan; it needs phase 1, the step before/)
})
