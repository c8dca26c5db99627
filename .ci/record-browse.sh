#!/usr/bin/env bash
# Records docs/browse.txt on a real terminal of 80 columns and 24 lines.
columns=80
rows=24
source "$(dirname "$0")/recording.sh"
cat > "$place/greet.md" <<'PLAN'
---
title: Greet the world
steps:
  - id: script
    create: greet.sh
    content: |
      echo hello
  - id: wait
    title: Wait for the kettle
    run: for i in 1 2 3 4 5 6; do echo "still cold ($i)"; sleep 1; done
    changes: none
  - id: test
    title: Say hello to the world
    run: sh greet.sh | grep world
  - id: docs
    edit: README.md
    append: Run `sh greet.sh`.
---
PLAN
cat > "$place/cart.md" <<'PLAN'
---
title: Rename the cart to basket
steps:
  - id: note
    edit: README.md
    append: The cart is a basket.
---
PLAN
"$place/bin/git-plan" new --from "$place/greet.md" > /dev/null 2>&1
"$place/bin/git-plan" new --from "$place/cart.md" > /dev/null 2>&1
# The whole screen, as it is.
screen() { sleep 0.5; t capture-pane -p | sed -e "s|$place/home|/home/ada|g" -e 's/[[:space:]]*$//'; }
{
  echo 'The browser on a terminal of 80 columns, recorded by `npm run record`.'
  type_line 'git plan browse'; wait_for 'q quit'
  scene 'git plan browse: the plans'
  key Down; screen
  scene 'Enter: its steps'
  key Enter; wait_for 'q back'; screen
  scene 'a: it types git plan approve, with its question'
  key a; wait_for 'Approve this plan?'; sleep 0.3; screen
  scene 'y, and any key: the plan is approved'
  key y; wait_for 'Press any key'; key Space; wait_for 'q back'; screen
  "$place/bin/git-plan" start greet --no-input > /dev/null 2>&1 &
  scene 'in another terminal somebody starts the plan: the run is followed'
  wait_for 'still cold (3)'; screen
  wait
  scene 'the third step fails'
  wait_for 'error: exit code 1'; screen
  scene 'd at the first step: its changes'
  key Home; sleep 0.3; key d; wait_for 'Press any key'; screen
  scene 'b: what a rollback to it would remove, and the question'
  key Space; wait_for 'q back'; key b; wait_for 'Roll back?'; sleep 0.3; screen
  scene 'n, and ?: all keys'
  key n; wait_for 'q back'; key '?'; wait_for 'Press any key'; screen
  key Space q q
} > "$root/docs/browse.txt"
