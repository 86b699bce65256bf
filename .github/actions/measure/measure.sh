# Runs $MEASURE and checks the submissions. A failure is recorded, and the rest is still reported.
set -euo pipefail
if [ -z "${MEASURE:-}" ]; then
  echo "::error::MEASURE is empty: set it below env of the workflow, for example to infbench sweep board.yaml"
  exit 1
fi
rm -rf runs/submissions # made again below; the cache may have restored its trials
bash -e -c "$MEASURE" || echo "UNMEASURED=$?" >> "$GITHUB_ENV"
if [ -d submissions ]; then # submissions that pass are shown, even if others fail
  infbench submit check submissions $(bash "$GITHUB_ACTION_PATH/runs.sh") --out runs/submissions || echo "UNMEASURED=$?" >> "$GITHUB_ENV"
fi
if [ -z "$(bash "$GITHUB_ACTION_PATH/runs.sh")" ]; then
  echo "::error::there is no run folder below runs after: $MEASURE"
  exit 1
fi
