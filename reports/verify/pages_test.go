package verify

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/datasets"
	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/claims"
	"infbench/reports/page"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// sample is a page with its inputs.
type sample struct {
	name    string
	exps    []*results.Experiment
	options reports.Options
}

// write prints the page like infbench report, with the script for charts if there is one and it is
// wanted.
func (s sample) write(t *testing.T, script bool) string {
	t.Helper()
	var b strings.Builder
	var err error
	if r := build(t, s.options, s.exps...); script {
		err = page.Write(&b, r)
	} else {
		err = page.WriteWith(&b, r, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// all returns the inputs of the page.
func (s sample) all() Options {
	return Options{Runs: s.exps, Published: s.options.Published, Overlaps: s.options.Overlaps, Studies: s.options.Studies, Repositories: s.options.Repositories}
}

// of makes a sample under reports.Options{}, with options set by set.
func of(name string, set func(o *reports.Options), exps ...*results.Experiment) sample {
	s := sample{name, exps, reports.Options{}}
	if set != nil {
		set(&s.options)
	}
	return s
}

// tiny is an experiment with few values whose page has every section of a board, with texts of
// queries and training curves.
func tiny(realm func(*results.Benchmark)) *results.Experiment {
	e := &results.Experiment{Name: "tiny"}
	add := func(lift float64, config map[string]string) {
		i := len(e.Trials)
		b := results.Benchmark{Name: "pairs", Revision: "r1", Source: "a source", Licence: "CC0-1.0", Tasks: map[string]string{"headline": "what is asked first", "null": "a re-wording that changes nothing: p-MRR should be about 0"}, Controls: []string{"null"}}
		realm(&b)
		t := results.Trial{ID: fmt.Sprintf("%s-%02d", b.Name, i), State: results.Done, Config: config, Marker: fmt.Sprintf("%064x", i+1)}
		r := rand.New(rand.NewPCG(uint64(i), 3))
		for _, task := range []string{"headline", "null"} {
			for q := range 6 {
				for _, s := range []struct {
					side    datasets.Side
					measure string
				}{{"", "p-MRR"}, {"original", "AP@1000"}, {"changed", "AP@1000"}} {
					v := .4 + lift + .1*r.Float64()
					t.Results = append(t.Results, results.Result{Benchmark: b.Name, Task: task, Query: fmt.Sprint("q", q), Side: s.side, Measure: s.measure, Value: &v})
				}
			}
		}
		t.Provenance = results.Provenance{Infbench: "v1", Go: "go1.26", CPU: "a processor", Cores: 2 + i%2, Backend: "go", Modules: map[string]string{"example.org/m": "v1"}, Command: "infbench repeat tiny " + t.ID,
			Started: time.Date(2026, 11, 20+i%3, 9, 0, 0, 0, time.UTC), Seconds: map[string]float64{"train": 30 + float64(i), "evaluate": 2}, PeakRSS: 300 << 20, Benchmarks: []results.Benchmark{b}}
		t.Queries = []results.QueryRecord{{Benchmark: b.Name, Task: "headline", Query: "q1", Text: "a question", Instruction: "find A", Changed: "find B",
			Documents: []results.MovedDocument{{ID: "d1", Title: "a title", Text: "a text", Before: i + 1, After: 9 - i, Share: .1 + lift}}}}
		if config["loss"] != "" {
			for step := range 5 {
				t.Curve = append(t.Curve, results.Step{Step: step + 1, Loss: 2 / float64(step+1), Accuracy: .1 * float64(step)})
			}
		}
		e.Trials = append(e.Trials, t)
	}
	for _, loss := range []string{"uni(P)", "multi(P,I)"} {
		for _, pooling := range []string{"mean", "cls"} {
			for _, seed := range []string{"1", "2"} {
				add(.05*float64(len(loss)), map[string]string{"model": "trained", "loss": loss, "seed": seed, "backbone": "e5", "design.pooling": pooling, "design.share_encoder": "true", "train.epochs": "1", "train.lr": "1e-4"})
			}
		}
	}
	add(0, map[string]string{"model": "untrained", "seed": "1", "backbone": "e5"})
	add(-.1, map[string]string{"model": "bm25"})
	add(-.2, map[string]string{"model": "random", "seed": "1"})
	return e
}

func asRecorded(*results.Benchmark)  {}
func generated(b *results.Benchmark) { b.Synthetic = true }

// named gives a benchmark the name of a known one.
func named(name string) func(*results.Benchmark) {
	return func(b *results.Benchmark) { b.Name, b.Source = name, name }
}

// only keeps some trials of an experiment.
func only(e *results.Experiment, keep func(config map[string]string) bool) *results.Experiment {
	e.Trials = slices.DeleteFunc(e.Trials, func(t results.Trial) bool { return !keep(t.Config) })
	return e
}

// evaluation is a folder of one model on some benchmarks, in the form of infbench evaluate; it has
// a value for both instructions and p-MRR on each task.
func evaluation(model string, benchmarks map[string][]string) *results.Experiment {
	t := results.Trial{ID: model, State: results.Done, Marker: strings.Repeat("ab", 32), Config: map[string]string{"model": model}}
	for _, name := range slices.Sorted(maps.Keys(benchmarks)) {
		t.Provenance.Benchmarks = append(t.Provenance.Benchmarks, results.Benchmark{Name: name, Revision: "r1", Source: name})
		for _, task := range benchmarks[name] {
			for q := range 4 {
				v := float64(len(task)+q+len(model)) / 40
				add := func(side datasets.Side, measure string) {
					t.Results = append(t.Results, results.Result{Benchmark: name, Task: task, Query: fmt.Sprint(q), Side: side, Measure: measure, Value: &v})
				}
				if !strings.HasPrefix(name, "followir") {
					add("", "nDCG@10")
					continue
				}
				add("original", "nDCG@5")
				add("original", "AP@1000")
				add("", "p-MRR")
			}
		}
	}
	return &results.Experiment{Name: model, Trials: []results.Trial{t}}
}

// suites are tasks of the three benchmarks, with their names in runs.
var suites = map[string][]string{
	"followir": {"core17", "news21", "robust04"}, "followir-mteb1": {"core17", "news21", "robust04"}, "mair": {"ACORDAR", "ArguAna", "MSMARCO"}, "bright": {"biology", "economics", "pony"},
}

// imported are means from another program, with the necessary notes.
func imported() *results.Experiment {
	e := &results.Experiment{Name: "imported", Notes: []string{"Imported: measured by another program, and not scored again."}}
	for i, model := range []string{"a", "b"} {
		v := .3 + .1*float64(i)
		e.Trials = append(e.Trials, results.Trial{ID: model, State: results.Done, Config: map[string]string{"model": model},
			Results: []results.Result{{Benchmark: "mair", Task: "x", Query: "all", Measure: "nDCG@10", Value: &v, Aggregate: true}}})
	}
	return e
}

// collections are the paper and a small collection from result files of MTEB.
func collections(t *testing.T) (paper, mteb *published.Collection) {
	t.Helper()
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, model := range []string{"org__one", "org__two", "org__three"} {
		folder := filepath.Join(dir, "results", model, "r1")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, task := range []string{"Core17InstructionRetrieval", "News21InstructionRetrieval"} {
			text := fmt.Sprintf(`{"task_name":%q,"mteb_version":"1.18.0","dataset_revision":"d","scores":{"test":[{"hf_subset":"default","main_score":%g,"p-MRR":%g,"ndcg_at_5":%g,"map_at_1000":%g,"languages":["eng-Latn"]}]}}`, task, .01*float64(i), .01*float64(i), .2+.1*float64(i), .3+.1*float64(i))
			if i == 2 {
				text = "{}"
			}
			if err := os.WriteFile(filepath.Join(folder, task+".json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if mteb, err = published.ReadMTEB(dir); err != nil {
		t.Fatal(err)
	}
	return paper, mteb
}

// sized are numbers of models with known sizes, so that their board has filters and figures by
// size.
func sized(t *testing.T) *published.Collection {
	t.Helper()
	table := "suite,task,system,measure,value,source\n"
	for i, model := range []string{"BAAI/bge-m3", "BAAI/bge-base-en-v1.5", "BAAI/bge-large-en-v1.5", "Alibaba-NLP/gte-Qwen2-7B-instruct", "AQ-MedAI/Diver-Retriever-0.6B",
		"AQ-MedAI/Diver-Retriever-1.7B", "Qwen/Qwen3-Embedding-0.6B", "Qwen/Qwen3-Embedding-4B", "Qwen/Qwen3-Embedding-8B", "GritLM/GritLM-7B"} {
		table += fmt.Sprintf("R2MED,Biology,%s,nDCG@10,%d,the authors' table\n", model, 20+i)
	}
	file := filepath.Join(t.TempDir(), "suites.csv")
	if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := published.ReadSuites(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// samples are pages of every kind that the program writes.
func samples(t *testing.T) []sample {
	t.Helper()
	paper, mteb := collections(t)
	both := []*published.Collection{paper, mteb}
	beside := func(o *reports.Options) {
		o.Published, o.Repositories = both, map[string]string{"e5": "intfloat/e5-base-v2"}
	}
	trained := func(c map[string]string) bool { return c["loss"] != "" }
	value := .5
	study := &results.Study{Format: results.StudyFormat, Kind: "agreement", Name: "picks", Level: .95, Values: []results.StudyValue{{Measure: "Cohen's kappa", Of: "a | b", N: 9, Value: &value}}}
	worlds := tiny(generated)
	for i := range worlds.Trials {
		worlds.Trials[i].Config["world"] = fmt.Sprint(1 + i%2)
	}
	selected := tiny(asRecorded)
	selected.Trials[1].Selection = results.Selection{On: "test", Measure: "p-MRR", Among: 4}
	selected.Trials[2].Selection = results.Selection{On: "validation", Measure: "p-MRR", Among: 4}
	failed := tiny(asRecorded)
	failed.Trials[0] = results.Trial{ID: "failed", Config: failed.Trials[0].Config, State: results.Failed, Error: "out of memory"}
	failed.Trials[3] = results.Trial{ID: "planned", Config: failed.Trials[3].Config, State: results.Waiting}
	hidden := tiny(asRecorded)
	hidden.Name = "de\u200bmo"
	hidden.Trials[0].ID += "\u200b"
	other := only(tiny(named("mair")), func(c map[string]string) bool { return !trained(c) })
	for i := range other.Trials {
		other.Trials[i].ID += "-2"
	}
	list := []sample{
		of("long names", nil, reportstest.Long()),
		of("real data", nil, tiny(asRecorded)),
		of("generated data", nil, tiny(generated)),
		of("two worlds", nil, worlds),
		of("two realms", nil, tiny(asRecorded), tiny(func(b *results.Benchmark) { b.Synthetic, b.Name = true, "made" })),
		of("two folders of one name", nil, tiny(asRecorded), other),
		of("one trial", nil, only(tiny(asRecorded), func(c map[string]string) bool { return c["model"] == "bm25" })),
		of("one trained trial", nil, only(tiny(asRecorded), func(c map[string]string) bool {
			return c["loss"] == "uni(P)" && c["seed"] == "1" && c["design.pooling"] == "cls"
		})),
		of("one loss, no baselines", nil, only(tiny(asRecorded), func(c map[string]string) bool { return c["loss"] == "uni(P)" && c["design.pooling"] == "cls" })),
		of("no baselines", nil, only(tiny(asRecorded), trained)),
		of("failed and planned trials", nil, failed),
		of("selected", nil, selected),
		of("imported", nil, imported()),
		of("imported beside measured", nil, imported(), other),
		of("a name with a zero-width space", nil, hidden),
		of("hostile", func(o *reports.Options) { o.Published = hostileCollections() }, reportstest.HostileExperiment()),
		of("evaluations", nil, evaluation("bm25", suites), evaluation("e5", suites)),
		of("evaluations beside published numbers", beside, evaluation("bm25", suites), evaluation("e5", suites)),
		of("trained on FollowIR beside published numbers", beside, tiny(named("followir"))),
		of("published alone: the paper", func(o *reports.Options) { o.Published = both[:1] }),
		of("published alone: MTEB", func(o *reports.Options) { o.Published = both[1:] }),
		of("published alone: models of known sizes", func(o *reports.Options) { o.Published = []*published.Collection{sized(t)} }),
		of("a study", func(o *reports.Options) { o.View, o.Studies = "agreement", []*results.Study{study} }),
		of("projection", func(o *reports.Options) {
			o.Projection = &scores.Projection{Table: []string{"design.pooling"}, Row: []string{"loss"}, Col: []string{scores.KeyTask, scores.KeySide, scores.KeyMeasure}}
		}, tiny(asRecorded)),
		of("ablation", func(o *reports.Options) { o.Ablation = true }, tiny(asRecorded)),
		of("claims", func(o *reports.Options) {
			o.Claims, o.Studies = []*claims.File{claimsOf(t), claimsOf(t)}, []*results.Study{study}
		}, tiny(asRecorded)),
		of("overlaps, a reference", func(o *reports.Options) {
			o.Reference, o.Overlaps = "bm25", []results.Overlap{{Train: "mini", Test: "pairs", Group: "queries of headline", Words: 8, Texts: 20, Exact: 1, Partial: 2}}
		}, tiny(asRecorded)),
	}
	for _, view := range reports.Views() {
		set := func(published []*published.Collection) func(o *reports.Options) {
			return func(o *reports.Options) { o.View, o.Published = view, published }
		}
		list = append(list, of("view "+view, set(nil), tiny(asRecorded)))
		if view == "main" || view == "quality" {
			list = append(list, of("view "+view+" with published numbers", set(both), tiny(asRecorded)), of("view "+view+" of the paper alone", set(both[:1])))
		}
	}
	return list
}

// hostileCollections have such texts in every place for text.
func hostileCollections() []*published.Collection {
	c := &published.Collection{Source: reportstest.Hostile[0], Doubts: reportstest.HostileTexts}
	for i, text := range reportstest.HostileTexts {
		c.Cells = append(c.Cells, published.Cell{Source: reportstest.Hostile[0], Model: text, Revision: text, Config: text, Task: text, Measure: "AP@1000", Value: float64(i) / 20, Main: true,
			Conventions: published.Conventions{Qrels: "original", Ties: published.TiesByID, Version: text}, Footnotes: reportstest.HostileTexts, File: text})
		c.Missing = append(c.Missing, published.Missing{Model: text, Task: text, File: text, Reason: text})
	}
	return []*published.Collection{c}
}

// TestPages: every page that the program writes passes, with and without its inputs. With them all
// of it is checked; otherwise the unchecked parts are listed.
func TestPages(t *testing.T) {
	for i, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			html := s.write(t, i < 2)
			if v := verified(t, html, nil); len(v.Differ) > 0 || v.Cells == 0 {
				t.Errorf("from its values alone, %d cells: %v", v.Cells, v.Differ)
			}
			v, err := Page([]byte(html), s.all())
			if err != nil || len(v.Differ) > 0 || len(v.Unchecked) > 0 {
				t.Errorf("with all it is made from: %v, %v", err, v)
			}
		})
	}
}
