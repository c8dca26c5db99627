#!/usr/bin/env bash
# Records docs/session.txt on a real terminal: start, failure, fix, resume, rollback.
source "$(dirname "$0")/recording.sh"
mkdir .plans
cat > .plans/greet.md <<'PLAN'
---
title: Greet the world
steps:
  - id: script
    create: greet.sh
    content: |
      echo hello
  - id: wait
    title: Wait for the kettle
    run: for i in 1 2 3 4; do echo "still cold ($i)"; sleep 1; done
    changes: none
  - id: test
    title: Say hello to the world
    run: sh greet.sh | grep world
  - id: docs
    edit: README.md
    append: Run `sh greet.sh`.
---
PLAN
{
  echo 'A session on a terminal, recorded by `npm run record`.'
  scene 'git plan start shows the plan and asks'
  type_line 'git plan start .plans/greet.md'; wait_for 'Yes / '; sleep 0.3; news
  scene 'y: it runs, and shows the output of the running step'
  key y; wait_for 'still cold (3)'; news
  scene 'the third step fails'
  wait_for 'Enter: confirm'; sleep 0.3; news
  scene 'Fix: the script is fixed from another terminal'
  key Down; sleep 0.2; key Enter; wait_for 'Is it fixed?'; echo 'echo hello world' > greet.sh; sleep 0.3; news
  scene 'y, and what was fixed: it is committed, and the plan runs to its end'
  key y; wait_for 'What was fixed?'; sleep 0.3; type_line 'Greet the world'; wait_for 'git plan finish greet'; sleep 0.3; news
  scene 'git plan status'
  clean; type_line 'git plan status'; wait_for 'git plan report greet'; sleep 0.2; news
  scene 'roll back to the first step, and resume from there'
  clean; type_line 'git plan rollback --to script'; wait_for 'git plan resume greet'; sleep 0.2
  type_line 'cat greet.sh; git plan resume --no-input'; wait_for 'greet --fix'; sleep 0.3; news
  scene 'undo the rollback, and finish'
  clean; type_line 'git plan rollback --undo && git plan finish && git log --oneline --first-parent'; wait_for 'First'; sleep 0.3; news
} > "$root/docs/session.txt"
