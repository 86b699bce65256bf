# Publishes the runs of the commit $GITHUB_SHA on the branch gh-pages. Another push may be
# published in the meantime, then it is tried again.
set -euo pipefail
tar -xzf measured.tar.gz
RUNS=$(bash "$GITHUB_ACTION_PATH/../measure/runs.sh")
git config user.name leaderboard
git config user.email leaderboard@localhost
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  git fetch --quiet origin
  rm -rf site
  git worktree prune
  if git rev-parse --quiet --verify origin/gh-pages > /dev/null; then
    git worktree add --detach site origin/gh-pages
    force=--force-with-lease=gh-pages:origin/gh-pages
  else
    git worktree add --detach site
    git -C site checkout --orphan gh-pages
    git -C site rm -r --force --quiet .
    force=
  fi
  before= # the first published commit that is newer than this one
  if [ -f site/history.jsonl ]; then
    for commit in $(sed -n 's/^{"commit":"\([^"]*\)".*/\1/p' site/history.jsonl); do
      if [ "$commit" != "$GITHUB_SHA" ] && git merge-base --is-ancestor "$GITHUB_SHA" "$commit" 2> /dev/null; then
        before="--before $commit"
        break
      fi
    done
  fi
  infbench publish site $RUNS --commit "$GITHUB_SHA" $before --date "$(git show --no-patch --format=%cI "$GITHUB_SHA")" --rule "${RULES:-.github/gate.yaml}" --accepted "${ACCEPTED:-.github/accepted.yaml}"
  git -C site add --all
  if git -C site diff --cached --quiet; then
    echo "the site is as it was"
    exit
  fi
  amend=
  if [ "$(git -C site log -1 --format=%ae 2> /dev/null)" = leaderboard@localhost ]; then
    amend=--amend # replaces our last commit
  fi
  git -C site commit --quiet $amend --message "leaderboard of $GITHUB_SHA"
  if git -C site push $force origin HEAD:gh-pages; then
    exit
  fi
  sleep "$attempt"
done
echo "::error::the site could not be pushed in $attempt attempts"
exit 1
