# Writes the report of a pull request and its comment: what changed since the baseline, which is
# on the branch gh-pages.
set -euo pipefail
RUNS=$(bash "$GITHUB_ACTION_PATH/runs.sh")
infbench report $RUNS --format html --out report.html
page() { git show "origin/gh-pages:$1" > "$2" 2> /dev/null; }
known="--accepted ${ACCEPTED:-.github/accepted.yaml}"
if page history.jsonl history.jsonl; then known="$known --history history.jsonl"; fi
gate=
site=
if page baseline.html baseline.html || page report.html baseline.html; then
  gate="--baseline baseline.html --rule ${RULES:-.github/gate.yaml} $known"
  site="--site https://${GITHUB_REPOSITORY%/*}.github.io/${GITHUB_REPOSITORY#*/}"
fi
echo "GATE=$gate" >> "$GITHUB_ENV"
infbench report $RUNS --format markdown --pr $gate $site --link "${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID" --out comment.md
cat comment.md
