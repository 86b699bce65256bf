# Prints the measured run folders: $RUNS or, if it is empty, every one below runs; and the folder
# of the submissions. Trials from the cache alone do not make a run folder.
if [ -n "${RUNS:-}" ]; then
  echo "$RUNS"
  if [ -d runs/submissions ]; then echo runs/submissions; fi
else
  for mark in runs/{*,*/*}/{plan.json,import.json,scores.jsonl}; do
    if [ -f "$mark" ]; then dirname "$mark"; fi
  done
fi
