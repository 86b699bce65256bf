#!/bin/sh
# Makes runs and page.html again, for a build of infbench whose formats are others:
# make.sh PATH/TO/infbench, of a build without reports/page/assets/echarts.min.js, so that
# the pages are small. Afterwards `go test ./bench -run TestScreens -update` writes the
# goldens that show them. The inputs are
# small-bert, which smallBackbone of bench/survival_test.go makes with 40 positions,
# queries of 40 tokens and documents of 24; hub, tasks headline, no-overlap and
# negation of mini-followir (world 1) cut to six pairs and a dozen documents a pair
# and laid out as FollowIR's repositories are; and the YAML files.
set -eu
infbench=$(realpath "$1")
cd "$(dirname "$0")"
export HF_HUB_CACHE=hub
rm -rf runs page.html

# A sweep of eight cells, of which the one with the learning rate 1e30 fails, and its page.
"$infbench" sweep small.yaml --workers 1 && exit 1
# An evaluation.
"$infbench" evaluate --model bm25-okapi-candidates --data followir --out runs/okapi
# An imported ranking.
"$infbench" import okapi.run --as trec --data followir --task robust04 --model team/old --out runs/imported
# A page without the sweep.
"$infbench" report runs/okapi runs/imported --format html --out page.html
# The plan of a sweep that was never run.
"$infbench" sweep every.yaml --engine kubernetes --image registry/infbench:1 --claim runs --run-as 1000:1000 --dry-run >/dev/null
rm -rf runs/small/cache
