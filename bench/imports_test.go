package main

import (
	"bytes"
	"cmp"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// leaves are small packages that every other may import.
var leaves = []string{"metrics/kernel", "internal/nearest", "internal/testkit", "internal/disk", "internal/endpoint", "internal/secret", "internal/strict", "internal/disk", "internal/disk", "reports/seal", "internal/disk", "internal/memory", "internal/testkit", "internal/testkit"}

// mayImport is the house rule: which package may import which others of this
// module. A package that is not listed may import leaves only; bench, the command,
// may import everything.
var mayImport = map[string][]string{
	"metrics":                    {"metrics/trec"},
	"metrics/trec":               {},
	"metrics/stats":              {},
	"metrics/allocation":         {},
	"metrics/sequential":         {"metrics/stats"},
	"metrics/agreement":          {"metrics/stats"},
	"metrics/diversity":          {"metrics/stats"},
	"metrics/projection":         {},
	"datasets":                   {"metrics", "metrics/trec", "datasets/corpus", "datasets/format", "datasets/hub"},
	"datasets/corpus":            {"datasets/format"},
	"datasets/chat":              {},
	"datasets/curate":            {"datasets", "datasets/chat", "metrics", "datasets/overlap"},
	"datasets/annotate":          {"datasets/curate", "datasets/format"},
	"datasets/content":           {"datasets", "metrics/trec"},
	"datasets/mine":              {},
	"datasets/mixture":           {"datasets", "datasets/format"},
	"runners":                    {"datasets", "metrics/trec", "runners/codes", "runners/postings", "runners/ranking"},
	"runners/codes":              {},
	"runners/postings":           {},
	"runners/ranking":            {"datasets", "metrics/trec"},
	"runners/late":               {"datasets", "metrics/trec", "runners/codes", "runners/ranking"},
	"runners/sparse":             {"datasets", "metrics/trec", "runners/postings", "runners/ranking"},
	"runners/chatrank":           {"datasets", "datasets/chat"},
	"runners/approximate":        {"datasets", "datasets/content", "metrics/trec", "runners", "runners/ranking"},
	"training/encoder":           {"training/tokenizer", "training/encoder/weightfiles"},
	"training":                   {"training/variables", "datasets", "datasets/mixture", "training/encoder", "training/padding", "training/tokenizer"},
	"training/variables":         {"training/encoder", "training/encoder/safetensors"},
	"training/padding":           {},
	"datasets/curate/offline":    {"datasets", "datasets/curate"},
	"datasets/curate/prompted":   {"datasets/chat", "datasets/curate"},
	"internal/testkit/suitestest":  {},                  // examples that its tests and those of verbs share
	"internal/testkit/curatetest": {"datasets/curate"}, // what its tests and those of rooms below share

	"training/encoder/pickle":      {"training/encoder/safetensors"},
	"training/encoder/weightfiles": {"training/encoder/safetensors", "training/encoder/pickle"},

	"bench/baseline":   {"runners"},
	"bench/results":    {"bench/baseline", "metrics", "metrics/agreement", "metrics/trec", "datasets", "datasets/chat", "datasets/content"},
	"bench/spec":       {"bench/baseline", "metrics", "training", "datasets", "datasets/mixture"},
	"internal/usage":      {},
	"bench/engine":     {"bench/spec", "bench/results", "internal/usage"}, // usage has the exit codes of what was stopped
	"bench/sheet":      {"internal/usage", "metrics", "reports/table", "internal/words", "reports/terminal"},
	"bench/device":     {"bench/results", "bench/spec", "internal/usage", "runners", "runners/codes", "runners/late", "training/encoder"},
	"bench/build":      {},
	"bench/version":    {"bench/build", "reports/page"}, // the script that pages have
	"internal/tools/release":    {"bench/build", "bench/version"},
	"bench/provenance": {"bench/build", "bench/device", "bench/results", "datasets", "datasets/content"},
	"bench/catalog": {"bench/baseline", "bench/device", "bench/results", "bench/spec", "internal/usage",
		"metrics", "metrics/trec", "datasets", "datasets/chat", "datasets/curate", "datasets/hub", "datasets/mixture", "runners", "runners/approximate", "runners/chatrank", "runners/codes", "runners/late", "runners/sparse", "training", "training/encoder", "training/encoder/weightfiles", "training/tokenizer", "datasets/content"},
	"bench/selection": {"bench/results", "bench/spec", "metrics"}, // a measure says which of two values is better
	"bench/runs": {"bench/baseline", "bench/engine", "bench/results", "bench/selection", "bench/spec", "internal/usage",
		"datasets", "datasets/overlap", "training/encoder", "reports", "reports/contrast", "reports/diff", "internal/words"}, // reports: what a collection is made of
	"bench/active": {"bench/results", "bench/runs", "bench/spec", "internal/usage", "metrics/allocation", "metrics/sequential", "metrics/stats",
		"reports/claims", "reports/contrast", "reports/scores", "internal/words"},
	"bench/probe": {"bench/results", "datasets", "datasets/format", "metrics", "metrics/trec", "runners"},
	"bench/trial": {"bench/baseline", "bench/catalog", "bench/contamination", "datasets/mixture", "bench/device", "bench/engine", "bench/provenance", "bench/results", "bench/runs",
		"bench/selection", "bench/shards", "bench/spec", "internal/usage", "metrics", "metrics/trec", "datasets", "datasets/chat", "datasets/content", "runners", "training", "training/encoder"},
	"bench/shards": {"bench/catalog", "bench/device", "bench/engine", "bench/provenance", "bench/results", "internal/usage",
		"datasets", "metrics/trec", "runners", "runners/ranking"},
	"bench/cost": {"bench/catalog", "bench/device", "bench/results", "bench/runs", "bench/spec",
		"datasets", "datasets/hub", "datasets/mixture", "training", "training/encoder", "training/tokenizer"},
	"bench/rescore":   {"bench/catalog", "bench/probe", "bench/results", "datasets", "datasets/content", "datasets/hub", "metrics/trec"},
	"bench/judgments": {"bench/rescore", "bench/results", "datasets", "metrics/trec"},
	"bench/adopt": {"bench/catalog", "bench/provenance", "bench/results", "bench/runs", "internal/usage",
		"metrics/trec", "datasets", "reports/foreign", "reports/published", "internal/words"},
	"bench/submit": {"bench/adopt", "bench/catalog", "bench/results", "bench/runs", "bench/sheet", "internal/usage",
		"metrics", "metrics/trec", "datasets", "datasets/hub", "reports/foreign", "reports/published", "reports/table", "reports/terminal", "internal/words"},
	"bench/compare": {"metrics", "metrics/trec", "metrics/stats"},
	"internal/tools/peers": {"bench/catalog", "bench/device", "bench/results", "bench/runs", "bench/spec", "datasets", "datasets/format", "datasets/mixture", "metrics/trec",
		"reports", "reports/page", "reports/published", "internal/testkit/reportstest", "reports/table", "reports/terminal", "runners", "training", "training/encoder", "training/tokenizer"}, // a command of its own: it measures all of them
	"bench/gpucheck":      {"bench/catalog", "bench/device", "internal/usage", "training", "training/encoder", "training/tokenizer", "datasets", "datasets/mixture", "internal/words"},
	"bench/contamination": {"bench/catalog", "bench/results", "bench/runs", "bench/spec", "datasets", "datasets/mixture", "datasets/overlap", "reports"},
	"bench/data": {"bench/catalog", "bench/contamination", "bench/mining", "bench/results", "bench/runs", "bench/sheet", "bench/spec", "internal/usage",
		"datasets", "datasets/content", "datasets/hub", "datasets/mixture", "datasets/overlap", "reports", "reports/terminal", "internal/words"},
	"bench/mining": {"bench/catalog", "internal/usage", "datasets", "datasets/mine", "datasets/mixture", "metrics/trec", "runners"},
	"bench/curate": {"bench/catalog", "bench/contamination", "bench/device", "bench/runs", "bench/sheet", "internal/usage", "datasets", "datasets/chat", "datasets/curate",
		"datasets/curate/offline", "datasets/curate/prompted", "datasets/format", "datasets/hub", "datasets/overlap", "metrics/agreement", "metrics/stats", "metrics/trec", "reports", "internal/words"},
	"bench/keys":  {"bench/baseline", "bench/catalog", "bench/spec", "internal/usage", "datasets", "metrics", "reports/terminal", "training"},
	"bench/start": {"bench/catalog", "bench/experiments", "bench/keys", "bench/spec", "internal/usage", "datasets", "datasets/format", "reports/terminal", "internal/words"},
	"bench/shell": {"bench/baseline", "bench/catalog", "bench/keys", "bench/results", "bench/runs", "internal/usage", "datasets",
		"reports", "reports/queries", "reports/scores", "reports/terminal", "internal/words", "training/encoder"}, // reports: what boards call columns and systems
	"internal/testkit/tracer": {}, // runs commands for tests
	"bench/survey": {"bench/engine", "bench/results", "bench/runs", "bench/spec", "internal/words"},
	"bench/serve":  {"bench/contamination", "bench/query", "bench/results", "bench/runs", "bench/survey", "internal/usage", "reports", "reports/queries", "reports/section", "reports/serve", "internal/words"},
	"bench/query": {"bench/rescore", "bench/results", "bench/runs", "bench/sheet", "internal/usage", "datasets", "metrics", "metrics/trec",
		"reports/queries", "reports/scores", "reports/table", "reports/terminal", "internal/words"},
	"bench/accept":  {"bench/catalog", "bench/results", "bench/runs", "internal/usage", "reports/diff", "reports/gate", "internal/words"},
	"bench/discard": {"bench/runs", "internal/words"},
	"bench/gating":  {"bench/accept", "bench/catalog", "bench/results", "bench/runs", "bench/sheet", "internal/usage", "reports/gate", "reports/site"},
	"bench/agents":  {"bench/catalog", "bench/results", "bench/sheet", "internal/usage", "datasets", "datasets/format", "metrics/suites", "metrics/trec", "internal/words"},
	"bench/score":   {"bench/catalog", "bench/results", "bench/sheet", "internal/usage", "metrics", "metrics/trec", "internal/words"},
	"bench/board":   {"bench/results", "bench/sheet", "datasets/format", "metrics/suites", "internal/words"},
	"bench/texts":   {"bench/catalog", "internal/usage", "datasets", "metrics/diversity", "runners"},
	"bench/analysis": {"bench/catalog", "bench/ratings", "bench/results", "bench/runs", "bench/sheet", "bench/texts", "internal/usage", "datasets/format", "metrics/diversity", "metrics/projection", "metrics/stats",
		"reports", "reports/chart", "internal/words", "reports/write", "runners"},
	"bench/ratings": {"bench/runs", "bench/sheet", "internal/usage", "datasets/format", "metrics/agreement", "metrics/stats", "reports", "internal/words"},
	"bench/annotate": {"bench/ratings", "bench/runs", "bench/sheet", "internal/usage", "datasets/annotate",
		"metrics/agreement", "metrics/stats", "reports", "reports/annotation", "internal/words"},
	"internal/testkit/minihub": {"datasets", "datasets/hub", "datasets/suites", "training/tokenizer", "internal/testkit/pickletest", "training/encoder/safetensors"},
	"bench/models": {"bench/baseline", "bench/catalog", "bench/data", "bench/device", "bench/sheet", "internal/usage",
		"datasets/hub", "reports/published", "internal/words", "runners", "training/encoder", "bench/results"},

	// Above scores what prints takes what it prints with, and of the others what it
	// is about; words print numbers that may be undefined, which are those of stats.
	"reports/published": {},
	"reports/foreign":   {"metrics", "metrics/trec", "datasets/format", "reports/published"},
	"internal/words":     {"metrics/stats"},
	"reports/table":     {"internal/words"},
	"reports/terminal":  {"reports/table", "internal/words"},
	"reports/chart":     {"reports/table", "internal/words"},
	"reports/scores":    {"reports/table", "internal/words", "reports/published", "bench/results", "metrics"},
	"reports/contrast":  {"bench/results", "reports/scores", "reports/table", "internal/words", "reports/published", "metrics", "metrics/stats"},
	"reports/section":   {"reports/chart", "reports/table"},
	"reports/queries":   {"reports/contrast", "reports/scores", "reports/table", "internal/words", "bench/results", "metrics"},
	"reports/answer":    {"reports/section", "reports/contrast", "reports/scores", "reports/chart", "reports/table", "internal/words", "bench/results", "metrics"},
	"reports/recipe":    {"reports/section", "reports/scores", "reports/table", "internal/words", "bench/results", "internal/usage"}, // usage quotes the commands that run it again
	"reports/adaptive":  {"reports/section", "reports/scores", "reports/table", "internal/words", "bench/results"},
	"reports/tuning":    {"reports/section", "reports/scores", "reports/table", "internal/words", "bench/results"},
	"reports/ablation":  {"reports/tuning", "reports/section", "reports/contrast", "reports/scores", "reports/table", "internal/words", "bench/results"},
	"reports/claims": {"reports/section", "reports/contrast", "reports/scores", "reports/table", "internal/words", "reports/published",
		"bench/results", "internal/usage", "metrics", "metrics/stats"}, // usage quotes the commands that decide claims
	"reports/forgetting": {"reports/section", "reports/contrast", "reports/scores", "reports/chart", "reports/table", "internal/words",
		"bench/baseline", "bench/results", "metrics", "metrics/stats"},
	"reports/probe": {"reports/section", "reports/scores", "reports/chart", "reports/table", "internal/words", "bench/probe", "bench/results", "metrics/stats"}, // probe: names of kinds and types
	"reports/beside": {"reports/section", "reports/contrast", "reports/scores", "reports/chart", "reports/table", "internal/words", "reports/published",
		"bench/results", "metrics", "metrics/stats"},
	"reports/paperview": {"reports/section", "reports/beside", "reports/contrast", "reports/scores", "reports/chart", "reports/table", "internal/words", "reports/published", "bench/results"},
	"reports/scaling":   {"reports/section", "reports/contrast", "reports/scores", "reports/chart", "reports/table", "internal/words", "bench/results", "metrics/stats"},
	"reports": {"reports/section", "reports/adaptive", "reports/answer", "reports/recipe", "reports/scaling", "reports/tuning", "reports/ablation", "reports/claims", "reports/probe", "reports/paperview", "reports/beside", "reports/contrast", "reports/scores", "reports/chart", "reports/table", "internal/words", "reports/published",
		"bench/results", "metrics", "metrics/stats", "datasets/chat", "reports/forgetting", "reports/queries"},
	"reports/diff":       {"reports/contrast", "reports/scores", "reports/table", "internal/words", "bench/results", "metrics", "metrics/stats", "reports/terminal"},
	"reports/gate":       {"reports/diff", "reports/contrast", "reports/scores", "reports/table", "reports/terminal", "internal/words", "bench/results", "metrics", "metrics/stats"},
	"reports/comment":    {"reports", "reports/diff", "reports/gate", "reports/contrast", "reports/table", "internal/words", "bench/results"},
	"reports/page":       {"reports", "reports/section", "reports/chart", "reports/table", "internal/words"},
	"reports/serve":      {"reports", "reports/section", "reports/page", "reports/diff", "reports/chart", "reports/table", "internal/words", "bench/results"},
	"reports/annotation": {"datasets/annotate", "reports", "reports/page", "reports/chart"}, // the sheet that it prints
	"reports/write": {"reports", "reports/section", "reports/beside", "reports/page", "reports/contrast", "reports/scores", "reports/table", "internal/words", "reports/published",
		"metrics/stats", "reports/terminal"},
	"reports/verify": {"reports", "reports/section", "reports/page", "reports/contrast", "reports/scores", "reports/table", "internal/words", "reports/published",
		"bench/results"},
	"reports/export":      {"reports", "reports/contrast", "reports/scores", "reports/published", "reports/table", "internal/words", "bench/results"},
	"reports/site":        {"metrics/stats", "reports/diff", "reports/gate", "reports", "reports/section", "reports/page", "reports/export", "reports/contrast", "reports/scores", "reports/chart", "reports/table", "internal/words", "bench/results"},
	"internal/tools/fetchassets": {"reports/page"},                                  // the digest of the script
	"internal/testkit/reportstest": {"bench/results", "datasets", "datasets/content"}, // made-up experiments for tests
}

// The packages keep to the house rule; in particular runners, training and
// reports never import each other, and only bench/device opens a GoMLX backend.
func TestImportGraph(t *testing.T) {
	eachSource(t, func(path, pkg string) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			checkImport(t, path, pkg, imported)
		}
	})
}

func checkImport(t *testing.T, path, pkg, imported string) {
	t.Helper()
	if strings.Contains(imported, "gobackend") || strings.HasPrefix(imported, "github.com/gomlx/gomlx/backends") || strings.HasPrefix(imported, "github.com/gomlx/go-xla") {
		if pkg != "bench/device" {
			t.Errorf("%s imports the backend %s; only bench/device may", path, imported)
		}
		return
	}
	target, ours := strings.CutPrefix(imported, "infbench/")
	if !ours || pkg == "bench" || slices.Contains(leaves, target) {
		return
	}
	// A folder's own sub-packages are its private parts unless they are listed
	// as packages of the house themselves.
	if _, listed := mayImport[target]; !listed && strings.HasPrefix(target, pkg+"/") {
		return
	}
	for _, allowed := range mayImport[owner(pkg)] {
		if target == allowed || strings.HasPrefix(target, allowed+"/") && owner(target) == allowed {
			return
		}
	}
	t.Errorf("%s: package %s may not import %s", path, pkg, target)
}

// owner is the listed package whose rule holds for pkg: itself, or the nearest
// listed folder above it.
func owner(pkg string) string {
	for p := pkg; p != "."; p = filepath.ToSlash(filepath.Dir(p)) {
		if _, ok := mayImport[p]; ok {
			return p
		}
	}
	return pkg
}

// roomy are the packages that may be larger than others, in lines. training/encoder
// was tried in three rooms and is one circle.
var roomy = map[string]int{"bench": 6_000, "training/encoder": math.MaxInt}

// No package outgrows its room: 45 files, or 5,000 lines, tests aside.
func TestRoomsAreSmall(t *testing.T) {
	files, lines := map[string]int{}, map[string]int{}
	eachSource(t, func(path, pkg string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[pkg]++
		lines[pkg] += bytes.Count(data, []byte("\n"))
	})
	for pkg, n := range lines {
		most := cmp.Or(roomy[pkg], 5_000)
		if n > most || files[pkg] > 45 && roomy[pkg] == 0 {
			t.Errorf("package %s has %d files and %d lines", pkg, files[pkg], n)
		}
	}
}

// eachSource calls do with every Go file that is no test, and its package.
func eachSource(t *testing.T, do func(path, pkg string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || path == filepath.Join("..", "runs") || path == filepath.Join("..", "bin")) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			do(path, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
