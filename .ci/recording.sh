# For the recordings of sessions on a real terminal: a repository, a terminal in tmux, and what types and looks there. It
# is read by the scripts beside it. Needs tmux.
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
t() { tmux -L "$server" "$@"; }
t -f /dev/null new-session -d -x "${columns:-110}" -y "${rows:-50}" "env -i HOME='$HOME' PATH='$place/bin:$PATH' TERM=screen-256color LANG=C.UTF-8 PS1='$ ' bash --norc --noprofile"
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
