#!/usr/bin/env bash
# same_bytes.sh [COMMIT]: runs the demo as an earlier commit has it, and compares its weights,
# rankings and per-query values with those of this tree (TestSameBytes). The commit is built in
# a temporary git worktree by its own make.
set -euo pipefail
cd "$(dirname "$0")/../.."
commit=${1:-b040bf60}
git rev-parse --quiet --verify "$commit^{commit}" >/dev/null || {
	echo "same_bytes.sh: commit $commit is not here; a shallow clone gets it with: git fetch --unshallow" >&2
	exit 1
}
folder=$(mktemp -d)
trap 'git worktree remove --force "$folder/tree"; rm -rf "$folder"' EXIT
git worktree add --quiet --detach "$folder/tree" "$commit"
make --no-print-directory -C "$folder/tree" demo >"$folder/log" 2>&1 || {
	cat "$folder/log" >&2
	exit 1
}
INFBENCH_REFERENCE=$folder/tree/runs/demo go test ./bench/command -run '^TestSameBytes$' -count 1 -v
