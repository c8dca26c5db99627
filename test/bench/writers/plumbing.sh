# The same with Git plumbing: a separate index, and objects synced because core.fsync says so.
set -e
export GIT_INDEX_FILE=$2
tip=$(git rev-parse HEAD)
git read-tree "$tip"
at=0
while [ "$at" -lt "$1" ]; do
  for path in .plans/bench.md src/000/file-00000.txt; do
    blob=$(printf '%s as it is after %s\n%s' "$path" "$at" "$LINES_OF_FILE" | git -c core.fsync=committed hash-object -w --stdin)
    printf '100644 %s\t%s\n' "$blob" "$path"
  done | git update-index --index-info
  tree=$(git -c core.fsync=committed write-tree)
  tip=$(printf 'Step %s\n\nPlan: bench\nPlan-Event: step\n' "$at" | git -c core.fsync=committed commit-tree -p "$tip" "$tree")
  at=$((at + 1))
done
echo "$tip"
