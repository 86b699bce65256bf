package published

import (
	"fmt"
	"maps"
	"os"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestSameModel(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"intfloat/e5-base-v2", "intfloat/e5-base-v2", true},
		{"e5-base-v2", "e5-base-v2 (109M) (2022a)", true},
		{"Qwen/Qwen2.5-1.5B-Instruct", "Qwen2.5-1.5B-Inst", true},
		{"Qwen/Qwen2.5-1.5B", "Qwen2.5-1.5B-Inst", false},
		{"intfloat/e5-mistral-7b-instruct", "e5-mistral (7B) (2023a)", true},
		{"facebook/contriever-msmarco", "contriever (109M) (2021)", true},
		{"facebook/contriever-msmarco", "contriever", true},
		{"facebook/contriever", "contriever (109M) (2021)", false}, // before it was trained on MS MARCO
		{"facebook/contriever", "facebook/contriever-msmarco", false},
		{"castorini/monot5-base-msmarco-10k", "monot5-base (220M) (2020)", true},
		{"castorini/monot5-base-msmarco", "monot5-base (220M) (2020)", false},
		{"castorini/monot5-3b-msmarco-10k", "monot5-3B (2020)", true},
		{"castorini/monobert-large-msmarco", "monobert (330M) (2020)", true},
		{"facebook/tart-full-flan-t5-xl", "tart-flan-t5-xl (2.85B) (2022)", true},
		{"castorini/repllama-v1-7b-lora-passage", "repllama-v1-7b (2024)", true},
		{"castorini/repllama-v1-7b-lora-doc", "repllama-v1-7b (2024)", false},
		{"samaya-ai/promptriever-llama2-7b-v1", "promptriever-llama2-7b (2025)", true},
		{"text-embedding-3-large", "OpenAI-v3-large", true},
		{"embed-english-v3.0", "cohere-embed-english-v3.0", true},
		{"Cohere/Cohere-embed-english-v3.0", "cohere-embed-english-v3.0", true},
		{"BAAI/bge-base-en", "bge-base-en(v1.0/1.5) (109M) (2024)", true},
		{"google/flan-t5-base", "flan-t5-base (248M) (2022)", true},
		{"hkunlp/instructor-xl", "instructor-xl (1.5B) (2023)", true},
		{"somebody/e5-base-v2", "intfloat/e5-base-v2", false}, // another model of that name
		{"/models/deep/e5-base-v2", "intfloat/e5-base-v2", true},
		{"intfloat/e5-base-v2@1c644c92", "intfloat/e5-base-v2", true},
		{"bm25", "BM25 (2009)", false}, // over the complete corpus
		{"bm25-okapi-candidates", "BM25 (2009)", true},
		{"e5-base", "e5-base-v2", false},
		{"", "", false},
	} {
		if got := SameModel(test.a, test.b); got != test.want {
			t.Errorf("SameModel(%q, %q) = %v", test.a, test.b, got)
		}
		if got := SameModel(test.b, test.a); got != test.want {
			t.Errorf("SameModel(%q, %q) = %v", test.b, test.a, got)
		}
	}
}

// Every model of the paper's Table 5 that the sweep of its baselines can run is found by its name
// in the sweep.
func TestModelsOfTable5(t *testing.T) {
	text, err := os.ReadFile("../../bench/experiments/paper-baselines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var sweep struct{ Baselines []any }
	if err := yaml.Unmarshal(text, &sweep); err != nil {
		t.Fatal(err)
	}
	paper, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	for _, baseline := range sweep.Baselines {
		name := fmt.Sprint(baseline)
		if of, ok := baseline.(map[string]any); ok {
			if name, ok = of["rerank"].(string); !ok {
				name = of["remote"].(map[string]any)["model"].(string)
			}
		}
		rows := map[int]bool{}
		for _, cell := range paper.Table("5").Cells {
			if SameModel(name, cell.Model) {
				rows[cell.Row] = true
			}
		}
		if len(rows) != 1 {
			t.Errorf("%s is %d rows of Table 5, want 1", name, len(rows))
		}
	}
}

// A row of a result file is the named model, whether the paper trained that model or not.
func TestSettings(t *testing.T) {
	for _, test := range []struct {
		cell Cell
		want map[string]string
		best bool
	}{
		{Cell{Source: "MTEB", Model: "intfloat/e5-base-v2"}, map[string]string{"model": "intfloat/e5-base-v2"}, false},
		{Cell{Source: "CRUMB, table 3", Model: "e5", Config: "multi:P"}, map[string]string{"model": "e5"}, false},
		{Cell{Source: "InF-IR, table 2", Model: "e5-base-v2", Config: "base"}, map[string]string{"model": "untrained", "backbone": "e5-base-v2"}, false},
		{Cell{Source: "InF-IR, table 5", Model: "contriever (109M) (2021)", Config: "baseline"}, map[string]string{"model": "contriever"}, false},
		{Cell{Source: "InF-IR, table 3", Model: "ModernBERT-base", Config: "attn:best"},
			map[string]string{"model": "trained", "backbone": "ModernBERT-base", "loss": "attn:best", "interaction": "cross_attention"}, true},
	} {
		if got, best := test.cell.Settings(); !maps.Equal(got, test.want) || best != test.best {
			t.Errorf("%+v: %v %v, want %v %v", test.cell, got, best, test.want, test.best)
		}
	}
}

func TestTrainedAs(t *testing.T) {
	first := map[string]string{"design.share_encoder": "true", "design.pooling": "mean", "train.epochs": "2"}
	for _, test := range []struct {
		config string
		t      Training
		want   bool
	}{
		{"base", Training{}, true},
		{"", Training{Loss: "uni(P)"}, false},
		{"multi:P+I+IQ", Training{Loss: "multi(P,I,IQ)"}, true},
		{"uni:P+I", Training{Loss: "multi(P,I)"}, false},
		{"InF-Embed", Training{Loss: "uni(P)"}, false},
		{"attn:best", Training{Loss: "uni(P)"}, false},
		{"share_encoder=1;pooling=avg;epochs=2", Training{"uni(P)", first}, true},
		{"share_encoder=1;pooling=avg;epochs=2", Training{"uni(I)", first}, false},
		{"share_encoder=1;pooling=last;epochs=2", Training{"uni(P)", first}, false},
		{"share_encoder=1;pooling=avg;epochs=2", Training{"uni(P)", nil}, false}, // values that are not recorded do not match
	} {
		c := Cell{Config: test.config}
		if got := c.TrainedAs(test.t); got != test.want {
			t.Errorf("%q trained as %v: %v", test.config, test.t, got)
		}
	}
}

// Every name of a counterpart is used by the paper, or has the form of mteb's names.
func TestNames(t *testing.T) {
	paper, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	printed := map[[2]string]bool{}
	for i := range paper.Cells {
		c := &paper.Cells[i]
		printed[[2]string{c.Task, c.Measure + " " + c.Side}] = true
	}
	for _, benchmark := range []string{"followir", "mair", "bright"} {
		for _, c := range Combinations(benchmark) {
			if !printed[[2]string{c.Name.Task, c.Measure + " " + c.Side}] {
				t.Errorf("%s: the paper prints no %s %s of %s", benchmark, c.Measure, c.Side, c.Name.Task)
			}
			for _, p := range c.Parts {
				if Names(benchmark, p.Task) == nil {
					t.Errorf("%s: part %s has no name", benchmark, p.Task)
				}
			}
		}
	}
	for task, wanted := range map[[2]string]Name{
		{"followir", "core17"}:         {Task: "Core17InstructionRetrieval"},
		{"followir-mteb1", "robust04"}: {Task: "Robust04"},
		{"mair", "DD_2015"}:            {Task: "DD-15"},
		{"bright", "earth_science"}:    {Task: "BrightEarthScienceRetrieval"},
		{"bright-long", "pony"}:        {Task: "BrightRetrieval", Split: "long", Subset: "pony"},
	} {
		found := false
		for _, n := range Names(task[0], task[1]) {
			found = found || n == wanted
		}
		if !found {
			t.Errorf("%v has no counterpart %v", task, wanted)
		}
	}
	for _, task := range [][2]string{{"mair", "ArguAna"}, {"mair", "IFEval/punctuation__1"}, {"bright-gpt4_reason", "pony"}, {"mini-followir", "headline"}} {
		if got := Names(task[0], task[1]); got != nil {
			t.Errorf("%v has counterparts %v", task, got)
		}
	}
}

// The conventions that decide whether numbers of one name are comparable, pair by pair.
func TestOurs(t *testing.T) {
	core := Name{Task: "Core17"}
	old := Conventions{Qrels: "changed", Ties: TiesByInsertion}
	current := Conventions{Qrels: "original", Ties: TiesByID}
	aops := Name{Task: "BrightRetrieval", Split: "standard", Subset: "aops"}
	for _, test := range []struct {
		benchmark     string
		name          Name
		side, measure string
		other         Conventions
		want          int
	}{
		{"followir", core, "original", "AP@1000", old, 1},
		{"followir", core, "original", "AP@1000", current, 0},
		{"followir-mteb1", core, "original", "AP@1000", old, 0},
		{"followir-mteb1", core, "original", "AP@1000", current, 1},
		{"followir", core, "", "p-MRR", old, 1},
		{"followir-mteb1", core, "", "p-MRR", current, 0},
		{"bright", aops, "", "nDCG@10", Conventions{Excluded: mtebExcluded("BrightRetrieval")}, 1},
		{"bright", Name{Task: "BrightAopsRetrieval"}, "", "nDCG@10", Conventions{Excluded: mtebExcluded("BrightAopsRetrieval")}, 0},
		{"bright", Name{Task: "BrightRetrieval", Subset: "biology"}, "", "nDCG@10", Conventions{}, 0},
	} {
		if got := Ours(test.benchmark, test.name, test.side).Differ(test.other, test.measure); len(got) != test.want {
			t.Errorf("%s %v %s: %q", test.benchmark, test.name, test.measure, got)
		}
	}
}

// Ours is the inverse of Names for the names of MTEB.
func TestNameOurs(t *testing.T) {
	for _, known := range []struct{ benchmark, task string }{
		{"followir", "robust04"}, {"followir", "news21"}, {"followir", "core17"}, {"bright", "pony"}, {"bright", "theoremqa_theorems"}, {"bright-long", "biology"},
	} {
		benchmark, task, ok := Names(known.benchmark, known.task)[0].Ours()
		if !ok || benchmark != known.benchmark || task != known.task {
			t.Errorf("%v is %s/%s", known, benchmark, task)
		}
	}
	for _, other := range []string{"Core17", "BrightRetrieval", "SciFact", ""} {
		if benchmark, task, ok := (Name{Task: other}).Ours(); ok {
			t.Errorf("%q is %s/%s", other, benchmark, task)
		}
	}
}
