#!/usr/bin/env bash
# Records docs/session.txt on a real terminal: start, failure, fix, resume, rollback. Needs tmux.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d /tmp/XXXX)
server="git-plan-record-$$"
: > "$place/before"
trap 'tmux -L "$server" kill-server 2>/dev/null || true; sleep 0.5; rm -rf "$place"' EXIT
mkdir -p "$place/bin" "$place/home/hello"
printf '#!/bin/sh\nexec node "%s/dist/cli.mjs" "$@"\n' "$root" > "$place/bin/git-plan"
chmod +x "$place/bin/git-plan"
cd "$place/home/hello"
export HOME="$place/home"
git init -q -b main
git config user.name Ada
git config user.email ada@example.com
echo '# Hello' > README.md
git add . && git commit -q -m First
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
t() { tmux -L "$server" "$@"; }
t -f /dev/null new-session -d -x 110 -y 50 "env -i HOME='$HOME' PATH='$place/bin:$PATH' TERM=screen-256color LANG=C.UTF-8 PS1='$ ' bash --norc --noprofile"
t set-option -g history-limit 5000
shown() { t capture-pane -p -S - | sed -e "s|$place/home|/home/ada|g" -e 's/[[:space:]]*$//' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
# Waits until the screen has the text.
wait_for() { for _ in $(seq 300); do shown | grep -qF -- "$1" && return; sleep 0.1; done; echo "never seen: $1" >&2; shown >&2; exit 1; }
key() { t send-keys "$@"; }
scene() { printf '\n==== %s ====\n\n' "$1"; }
# What is new on the screen since the last scene: a line that changed, and all below it.
news() { shown > "$place/now"; awk -v old="$place/before" 'BEGIN { while ((getline line < old) > 0) was[++n] = line } { if (!new && $0 != was[NR]) new = 1; if (new) print }' "$place/now"; mv "$place/now" "$place/before"; }
type_line() { t send-keys -l "$1"; key Enter; }
clean() { key C-l; sleep 0.3; t clear-history; sleep 0.2; : > "$place/before"; }
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
