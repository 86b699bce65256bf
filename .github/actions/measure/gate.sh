# Fails if a number of the pull request is below what the rules allow.
set -euo pipefail
if [ -z "$GATE" ]; then
  echo "Nothing is published yet: the next push to the main branch makes the first baseline."
else
  infbench gate $GATE $(bash "$GITHUB_ACTION_PATH/runs.sh")
fi
