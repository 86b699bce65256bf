package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"infbench/reports"
	"infbench/reports/published"
	"infbench/runners/results"
)

// papers is a configuration of the paper's Table 6 as its trial records it.
func papers() map[string]string {
	const backbone = "Qwen/Qwen2.5-1.5B"
	c := map[string]string{"model": backbone, "backbone": backbone, "loss": "uni(P)", "interaction": "concat", "design.pooling": "last", "seed": "42"}
	for _, k := range results.Keys() {
		if len(k.Paper) > 0 && k.Paper[0] != "" {
			c[k.Name] = k.Paper[0]
		}
	}
	return c
}

// otherwise returns a possible value of a setting that is not the paper's.
func otherwise(k results.Key) string {
	for _, value := range []string{"7", "true", "keep"} {
		if !slices.Contains(k.Paper, value) {
			return value
		}
	}
	return "mask"
}

// Trainings that differ from the paper in one setting each are not compared with it, and the page
// names that setting. This covers each setting with a value of the paper in the table of settings,
// and those that the backbone or benchmark decides.
func TestOneSettingOther(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	only := *paper // one number, so that the page shows the rows of all systems
	only.Cells = slices.DeleteFunc(slices.Clone(paper.Cells), func(c published.Cell) bool {
		return c.Source != "InF-IR, table 6" || c.Task != "Core17" || c.Measure != "AP@1000"
	})
	o := reports.Options{Published: []*published.Collection{&only}}
	sweep := &results.Experiment{Name: "one-at-a-time"}
	add := func(to *results.Experiment, config map[string]string, records int) {
		trial := followIRRun("followir-mteb1", config, .1, .02).Trials[0]
		trial.ID = fmt.Sprint("trial-", len(to.Trials))
		trial.Provenance.Trained = &results.Trained{Records: records, Of: records}
		for _, task := range []string{"robust04", "news21", "core17"} {
			trial.Ties = append(trial.Ties, results.Ties{Benchmark: "followir-mteb1", Task: task, Pairs: 1})
		}
		to.Trials = append(to.Trials, trial)
	}
	one := func(config map[string]string, records int) string {
		exp := &results.Experiment{Name: "one"}
		add(exp, config, records)
		return written(t, build(t, o, exp), "html")
	}
	if text := one(papers(), published.PaperRecords); !strings.Contains(text, ", 0 not comparable for settings.") || !strings.Contains(text, "do not state") {
		t.Error("the paper's own settings are not compared")
	}
	if text := one(papers(), 60); !strings.Contains(text, "not comparable: 60 records, the paper 38,759") || !strings.Contains(text, " of them only because of the training data.") {
		t.Error("60 records are compared with the paper's, or other settings are named")
	}

	changed := map[string]string{"design.pooling": "mean", "design.padding_side": "right", "train.dropout": "0.1", "similarity": "dot", "probe": "none", "fuse": "bm25", "first": "bm25", "index.engine": "qdrant"}
	for _, k := range results.Keys() {
		if len(k.Paper) > 0 {
			changed[k.Name] = otherwise(k)
		}
	}
	if len(changed) < 45 {
		t.Errorf("the paper and its code state %d settings, fewer than they did", len(changed))
	}
	var want []string // beginnings of verdicts
	for key, value := range changed {
		config := papers()
		config[key] = value
		add(sweep, config, published.PaperRecords)
		want = append(want, fmt.Sprintf("%s: %s, not ", key, value))
		if k := results.KeyOf(key); len(k.Paper) > 0 && !slices.Contains(k.Paper, "") {
			config = papers()
			delete(config, key)
			add(sweep, config, published.PaperRecords)
			want = append(want, key+": not recorded, not ")
		}
	}
	r := build(t, o, sweep)
	text := strings.ReplaceAll(written(t, r, "html"), "<wbr>", "")
	if !strings.Contains(text, " 0 pairs compared, ") {
		t.Error("some of them are compared")
	}
	verdicts := besideVerdicts(r)
	for _, reason := range want {
		alone := slices.ContainsFunc(verdicts, func(v string) bool {
			_, why, _ := strings.Cut(v, "not comparable")
			why = strings.TrimPrefix(strings.TrimPrefix(why, " for settings"), ": ")
			return strings.HasPrefix(why, reason) && !strings.Contains(why, ";")
		})
		if !alone || !strings.Contains(text, reason) {
			t.Errorf("the page does not name %q as the reason why nothing is compared", reason)
		}
	}
}

// Each setting of a trained cell is compared, or listed here with the reason why not.
func TestSettingsNotCompared(t *testing.T) {
	pair, none, with := "it pairs a system with a number", "it changes no number", "it changes nothing without a setting that is compared"
	open := "neither the paper nor its code states it"
	reasons := map[string]string{
		"model": pair, "backbone": pair, "loss": pair, "interaction": pair, "seed": "another seed is a further run",
		"world": none, "train.chunk": none, "train.lora.keep": none, "train.checkpointing": none, "storage": none, "precision": open,
		"design.pooling": "by backbone", "design.padding_side": "by backbone", "train.dropout": "by backbone", "similarity": "by benchmark",
		"train.decay_all": with, "train.patience": with, "train.bias": "of a form of loss that the paper has not",
		"train.lora.alpha": with, "train.lora.targets": with, "train.lora.dropout": with,
		"train.hardness.on": with, "train.false_negatives.margin": with, "train.false_negatives.relative": with, "train.false_negatives.own": with,
		"train.distill.loss": with, "train.distill.list": with, "train.distill.share": with, "train.distill.temperature": with,
		"train.matryoshka.weights": with, "train.matryoshka.per_step": with,
	}
	cell := slices.DeleteFunc(results.Keys(), func(k results.Key) bool {
		section, _, _ := strings.Cut(k.Name, ".")
		return section == "validate" || k.Group == "evaluation" && k.Name != "precision" && k.Name != "dims" && k.Name != "similarity" && k.Name != "storage" || k.Group == "content" || k.Group == "import"
	})
	for _, k := range cell {
		if why := reasons[k.Name]; (why == "") == (k.Paper == nil) {
			t.Errorf("%s: paper %q, reason %q: want one of them", k.Name, k.Paper, why)
		}
		delete(reasons, k.Name)
	}
	if len(reasons) > 0 {
		t.Errorf("no settings: %q", slices.Sorted(maps.Keys(reasons)))
	}
}
