// A plan and a configuration with every key.

export const wholePlan = `---
# what it is about
version: 1
plan: sample
title: "Sample: all of it"
base: release/1.x
request: 'It''s to be done'
meta:
  ticket: 12
  tags: [a, b-c]
  deep:
    er: yes indeed
context:
- README.md
- docs/design.md
requires: [git, node]
setup: npm ci
tools: [Read, Edit]
setup_inputs: [package-lock.json]
preflight:
  - npm test
  - test -f README.md
test: npm test
on_failure: rollback-all
steps:
  - id: one
    title: Make it
    create: src/one.ts
    content: |
      export const one = 1

      # not a comment
        deeper: yes
    executable: true
    files: [src/**]
    timeout: 1h30m
    retries: 2

  # between two steps
  - id: "2nd"
    run: sed -n 's/a/b#c/p' x | grep "y" && echo a:b
    needs: [one]
    effect: external
    probe: test -f x
    undo: rm x
    idempotent: true
    env:
      A_B: "x\\ty"
      C: plain text
    secrets: [TOKEN]
    limits:
      memory: 512mb
      cpu: 10m
      output: 1kb
    verify:
      - test -f x
      - exists: x
      - contains:
          file: x
          pattern: ^a+$
    criteria:
      - It is good
      - text: It is there
        verify:
          exists: x
    test: true
    owner: Ada
    phase: design
    pause: false
    allow:
      - shell-privilege
    allow_failure: true
    risk: CRITICAL
    changes: some
  - edit: x
    lines: 3-5
    with: |-
      a
        b
  - delete: [a/b, c]
  - move: d
    to: e
  - install:
      - express-rate-limit@^7
      - "@types/node@20"
    manager: npm
    in: packages/api
    dev: true
    scripts: false
  - manual: Look at it
  - gate: Go on?
  - edit: y
    append: Run \`sh x.sh\`.
verify: npm test
status: active
state:
  one: done
  "2nd": failed
---

# Prose

---
status: nothing
`

export const wholeConfig =
  'version: 1\nlimits:\n  steps: 50\n  timeout: 5m\n  output: 1mb\n  pause_every: 3\nstale_after: 2d\nstalled_after: 1h\ncommit:\n  subject: "chore: {title}"\nrollback:\n  automatic: false\n  keep: 9d\nbases: [main, release/*]\nrequire: [owner, files]\nrisk:\n  critical: [infra/prod/**, src/*]\n'
