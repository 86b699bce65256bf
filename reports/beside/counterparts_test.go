package beside

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/runners/results"
)

const qwen = "Qwen/Qwen2.5-1.5B"

// followIR returns a finished trial on FollowIR's three tasks in which all queries have
// one value. ties = -1 means that its rankings were not examined.
func followIR(benchmark string, config map[string]string, quality, pair float64, ties int) results.Trial {
	t := results.Trial{ID: fmt.Sprint(benchmark, config, quality), State: results.Done, Config: config}
	t.Provenance.Benchmarks = []results.Benchmark{{Name: benchmark, Revision: "r1"}}
	t.Provenance.Trained = &results.Trained{Records: published.PaperRecords, Of: published.PaperRecords}
	for _, task := range []struct{ name, measure string }{{"robust04", "AP@1000"}, {"news21", "nDCG@5"}, {"core17", "AP@1000"}} {
		t.Results = append(t.Results,
			results.Result{Benchmark: benchmark, Task: task.name, Query: "1", Side: datasets.Original, Measure: task.measure, Value: &quality},
			results.Result{Benchmark: benchmark, Task: task.name, Query: "1", Measure: "p-MRR", Value: &pair})
		if ties >= 0 {
			t.Ties = append(t.Ties, results.Ties{Benchmark: benchmark, Task: task.name, Pairs: 1, Tied: ties, Low: pair - .01*float64(ties), High: pair + .02*float64(ties)})
		}
	}
	return t
}

// trained returns a configuration like the paper's in Tables 3 and 6, with changes.
func trained(loss string, changes ...string) map[string]string {
	c := map[string]string{"model": qwen, "backbone": qwen, "loss": loss, "interaction": "concat", "data": "inf-ir", "design.share_encoder": "true", "design.pooling": "last",
		"design.concat": "text", "design.join": "query_first", "design.prompts": "false", "design.max_query_tokens": "256", "design.max_document_tokens": "512",
		"train.epochs": "2", "train.fidelity": "reference", "train.rows_per_group": "12", "train.groups": "8", "train.last_batch": "fill", "train.lr": "0.00005", "train.temperature": "0.05",
		"train.schedule": "linear", "train.warmup": "0", "train.weight_decay": "0", "train.clip": "1", "train.precision": "bf16"}
	if strings.Contains(strings.NewReplacer("(", ",", ")", ",").Replace(loss), ",I,") {
		c["train.concat"] = "token"
	}
	for _, change := range changes {
		key, value, _ := strings.Cut(change, "=")
		c[key] = value
	}
	return c
}

// untrained returns a backbone as the paper's code evaluates it before training.
func untrained(backbone, pooling, interaction string) map[string]string {
	return map[string]string{"model": "untrained", "backbone": backbone, "design.pooling": pooling, "interaction": interaction,
		"design.max_query_tokens": "256", "design.max_document_tokens": "512"}
}

// seeded returns runs of one configuration with the given values.
func seeded(config map[string]string, qualities ...float64) []results.Trial {
	var out []results.Trial
	for i, q := range qualities {
		own := maps.Clone(config)
		own["seed"] = fmt.Sprint(i)
		out = append(out, followIR("followir-mteb1", own, q, q, 0))
	}
	return out
}

// pairsOf returns the pairs of some trials with the numbers of one table of the paper, as
// "benchmark test measure: verdict".
func pairsOf(t *testing.T, table string, trials ...results.Trial) ([]Counterpart, []string) {
	t.Helper()
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	only := *paper
	only.Cells = slices.DeleteFunc(slices.Clone(paper.Cells), func(c published.Cell) bool { return !strings.HasSuffix(c.Source, "table "+table) })
	set, err := scores.New([]*results.Experiment{{Name: "own", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	found := Counterparts(set, []*published.Collection{&only}, nil)
	var out []string
	for _, c := range found {
		out = append(out, fmt.Sprintf("%s %s: %s", c.Quantity.Test(), c.Other.Measure, c.Verdict()))
	}
	return found, out
}

// TestPairsOfConventions checks that of two benchmarks that measure one number, the one
// with the paper's convention is paired: FollowIR with swapped judgments.
func TestPairsOfConventions(t *testing.T) {
	both := followIR("followir", trained("uni(P)"), .2, .02, 0)
	other := followIR("followir-mteb1", trained("uni(P)"), .1, .02, 0)
	both.Results, both.Ties = append(both.Results, other.Results...), append(both.Ties, other.Ties...)
	both.Provenance.Benchmarks = append(both.Provenance.Benchmarks, other.Provenance.Benchmarks...)
	found, said := pairsOf(t, "6", both)
	if len(found) != 8 {
		t.Fatalf("%d pairs, want one for each of the paper's 8 columns: %q", len(found), said)
	}
	for _, text := range said {
		if !strings.HasPrefix(text, "followir-mteb1") || strings.Contains(text, "not compared") {
			t.Error(text)
		}
	}
	if _, alone := pairsOf(t, "6", followIR("followir", trained("uni(P)"), .2, .02, 0)); !strings.Contains(alone[0], "judgments: original, not changed") {
		t.Errorf("without it: %q", alone)
	}
}

// TestPairsOfTies checks that p-MRR is compared if the rankings show that ties have no
// effect. If ties have an effect, the possible range is shown, and a result that depends
// on it is not judged. If the rankings were not examined, nothing is compared.
func TestPairsOfTies(t *testing.T) {
	base := func(pair float64, ties int) results.Trial {
		return followIR("followir-mteb1", untrained(qwen, "last", "concat"), .0471, pair, ties)
	}
	for name, test := range map[string]struct {
		trial results.Trial
		want  string // verdict on p-MRR on Robust04, which the paper prints as -0.51
	}{
		"no tie":             {base(-.0051, 0), "equal"},
		"no tie, another":    {base(.01, 0), "differs"},
		"within the order":   {base(-.02, 1), "not judged: the order of ties decides"}, // between -.03 and 0
		"beyond any order":   {base(.02, 1), "differs"},                                // between .01 and .04
		"rankings not there": {base(-.0051, -1), "not compared: ties: by document ID, not by insertion"},
	} {
		_, said := pairsOf(t, "6", test.trial)
		if !slices.Contains(said, "followir-mteb1/robust04 p-MRR: "+test.want) {
			t.Errorf("%s: %q, want %q", name, said, test.want)
		}
	}
	found, _ := pairsOf(t, "6", base(-.02, 1))
	shown, _ := besideTable(found)
	if e := shown.Rows[1].Entries; e[11].Text != "affect 1 of 1 pairs: between -3.000 and 0.000 by their order" {
		t.Errorf("%q", texts(shown))
	}
}

// TestPairsOfSettings checks that a number is compared with one of equal settings. Only
// the paper's design is paired, if it is among those measured; else the verdict names the
// settings that differ.
func TestPairsOfSettings(t *testing.T) {
	same, mean, once, split := trained("uni(P)"), trained("uni(P)", "design.pooling=mean"), trained("uni(P)", "train.epochs=1"), trained("uni(P)", "design.share_encoder=false")
	all := trained("uni(P)", "data=inf-ir-unfiltered")
	crossed := trained("uni(P)", "interaction=cross_attention")
	var trials []results.Trial
	for i, c := range []map[string]string{same, mean, once, split, all, crossed} {
		trials = append(trials, followIR("followir-mteb1", c, .1+float64(i)/100, .02, 0))
	}
	found, said := pairsOf(t, "6", trials...)
	if len(found) != 8 {
		t.Errorf("%d pairs, want 8: %q", len(found), said)
	}
	if text := counted(found); !strings.Contains(text, " 8 pairs compared, 0 not comparable for settings.") {
		t.Error(text)
	}
	found, said = pairsOf(t, "6", trials[1])
	if len(found) != 8 || said[0] != "followir-mteb1/robust04 AP@1000: not comparable for settings: design.pooling: mean, not last" || !strings.Contains(counted(found), " 0 pairs compared, 8 not comparable for settings.") {
		t.Errorf("%q: %s", said, counted(found))
	}
	if _, said = pairsOf(t, "4", trials...); len(said) != 4 {
		t.Errorf("of table 4 %q, want a pair for each of its designs", said)
	}
	if _, said = pairsOf(t, "6", followIR("followir-mteb1", map[string]string{"model": qwen, "backbone": qwen, "loss": "uni(P)"}, .1, .1, 0)); !strings.Contains(said[0], "train.epochs: not recorded, not 2") {
		t.Errorf("what is not recorded is the same: %q", said)
	}
}

// TestPairsOfRetrainings checks that with three or more runs a retrained system is
// compared with the prediction interval for one more run, and that rounding decides only
// for untrained systems. The paper prints 15.52 for Robust04.
func TestPairsOfRetrainings(t *testing.T) {
	verdict := func(trials ...results.Trial) string {
		_, said := pairsOf(t, "6", trials...)
		_, text, _ := strings.Cut(said[0], ": ")
		return text
	}
	for want, qualities := range map[string][]float64{
		"not judged: 1 training run, but a prediction needs 3":  {.1552},
		"not judged: 2 training runs, but a prediction needs 3": {.15, .16},
		"within the range of a further run":                     {.14, .15, .16},
		"differs":                                               {.100, .101, .102},
	} {
		if got := verdict(seeded(trained("uni(P)"), qualities...)...); got != want {
			t.Errorf("%v: %s, want %s", qualities, got, want)
		}
	}
	// By hand: the mean of .13, .14, .15 is .14, s is .01 and t(2) is 4.302653, so the
	// next run is within .0497 of the mean. With half a printed digit the upper end is
	// .1897 + .00005.
	found, _ := pairsOf(t, "6", seeded(trained("uni(P)"), .13, .14, .15)...)
	if low, high, ok := found[0].Range.Get(); !ok || low > .09032 || low < .09031 || high < .18968 || high > .18969 {
		t.Errorf("range %v", found[0].Range)
	}
}

// TestRetrainingErrorRate checks that a published run from the same distribution as the
// measured ones is judged to differ in at most a twentieth of cases, for any variance of
// runs.
func TestRetrainingErrorRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	found, _ := pairsOf(t, "6", seeded(trained("uni(P)"), .13, .14, .15)...)
	c := found[0]
	const draws = 4_000
	differs := 0
	for range draws {
		spread := .001 + .02*rng.Float64()
		runs := []float64{.5 + spread*rng.NormFloat64(), .5 + spread*rng.NormFloat64(), .5 + spread*rng.NormFloat64()}
		other := *c.Other
		other.Value, c.Other = .5+spread*rng.NormFloat64(), &other
		c.Measured.Value, c.runs, c.Range = (runs[0]+runs[1]+runs[2])/3, 3, rangeOf(runs)
		if c.Verdict() == verdictDiffers {
			differs++
		}
	}
	if share := float64(differs) / draws; share > .064 || share < .03 { // four standard errors above a twentieth
		t.Errorf("a like run differs in %v of cases", share)
	}
}

// TestPairsOfBM25 checks that the paper's BM25 scores only the candidates of each query.
func TestPairsOfBM25(t *testing.T) {
	if _, said := pairsOf(t, "5", followIR("followir-mteb1", map[string]string{"model": "bm25"}, .121, -.031, 0)); len(said) != 0 {
		t.Errorf("plain bm25: %q", said)
	}
	if _, said := pairsOf(t, "5", followIR("followir-mteb1", map[string]string{"model": "bm25-okapi-candidates"}, .121, -.031, 0)); len(said) != 8 || said[0] != "followir-mteb1/robust04 AP@1000: equal" {
		t.Errorf("bm25-okapi-candidates: %q", said)
	}
}

// TestPairsOfThePaper runs the configurations of the paper's four files under both
// conventions. Each number that the paper prints for FollowIR has a pair, and all pairs
// are comparable.
func TestPairsOfThePaper(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	backbones := map[string]string{"intfloat/e5-base-v2": "mean", "intfloat/e5-large-v2": "mean", "answerdotai/ModernBERT-base": "cls", "meta-llama/Llama-3.2-1B": "last", "meta-llama/Llama-3.2-1B-Instruct": "last",
		qwen: "last", "Qwen/Qwen2.5-1.5B-Instruct": "last", "Qwen/Qwen2.5-3B": "last", "Qwen/Qwen2.5-3B-Instruct": "last"}
	losses := []string{"uni(P)", "uni(I)", "uni(IQ)", "uni(P,I)", "uni(P,IQ)", "uni(I,IQ)", "uni(P,I,IQ)", "multi(P,I)", "multi(P,IQ)", "multi(I,IQ)", "multi(P,I,IQ)"}
	var trials []results.Trial
	add := func(config map[string]string) {
		one, other := followIR("followir", config, .1, .01, 0), followIR("followir-mteb1", config, .2, .01, 0)
		one.Results, one.Ties = append(one.Results, other.Results...), append(one.Ties, other.Ties...)
		one.Provenance.Benchmarks = append(one.Provenance.Benchmarks, other.Provenance.Benchmarks...)
		trials = append(trials, one)
	}
	for backbone, pooling := range backbones {
		for _, interaction := range []string{"concat", "cross_attention"} {
			add(untrained(backbone, pooling, interaction))
			for _, loss := range losses {
				c := trained(loss, "model="+backbone, "backbone="+backbone, "design.pooling="+pooling, "interaction="+interaction)
				if pooling == "mean" {
					c["train.dropout"] = "0.1"
				}
				add(c)
			}
		}
	}
	for _, change := range []string{"design.pooling=mean", "design.share_encoder=false", "train.epochs=1", "data=inf-ir-unfiltered"} {
		add(trained("uni(P)", change))
	}
	add(untrained(qwen, "mean", "concat"))
	set, err := scores.New([]*results.Experiment{{Name: "all", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	found := Counterparts(set, []*published.Collection{paper}, nil)
	want := 0
	for _, c := range paper.Cells {
		part := c.Task == "FollowIR" || slices.Contains([]string{"Robust04", "News21", "Core17"}, c.Task)
		if attention := strings.HasPrefix(c.Config, "attn"); part && !attention && c.Config != "InF-Embed" && slices.ContainsFunc(slices.Collect(maps.Keys(backbones)), func(b string) bool { return published.SameModel(b, c.Model) }) {
			want++
		}
	}
	said := counted(found)
	for _, c := range found {
		if c.others.Any() {
			t.Errorf("%s beside %s: %s", c.System.Label, c.By(), c.Verdict())
		}
	}
	if len(found) != want || !strings.Contains(said, fmt.Sprintf(", 0 not compared. %d pairs compared, 0 not comparable for settings.", want)) {
		t.Errorf("%d pairs, want %d: %s", len(found), want, said)
	}
}

// TestPairsOfBEIR: MTEB's numbers on BEIR's data sets stand next to those measured on the fetched
// set, and on a folder with its name, with a note.
func TestPairsOfBEIR(t *testing.T) {
	record := &published.Collection{Source: published.SourceMTEB, Cells: []published.Cell{{Source: published.SourceMTEB, Model: "sentence-transformers/all-MiniLM-L6-v2",
		Task: "SciFact", Split: "test", Measure: "nDCG@10", Value: .64508, Tolerance: 5e-6}}}
	for _, test := range []struct {
		benchmark, task string
		value           float64
		want            string
	}{
		{"beir-scifact", "scifact", .645084, "equal, []"},
		{"beir-scifact", "scifact", .64509, "differs, []"},
		{"scifact", "test", .645084, "equal, [scifact is an imported folder with the name of MTEB's SciFact. A different number may come from different texts or judgments.]"},
		{"scifact", "train", .645084, ""},
		{"beir-scifact", "other", .645084, ""},
		{"beir-nfcorpus", "nfcorpus", .645084, ""},
		{"own", "test", .645084, ""},
	} {
		trial := results.Trial{ID: "1", State: results.Done, Config: map[string]string{"model": "path/to/all-MiniLM-L6-v2"}}
		trial.Provenance.Benchmarks = []results.Benchmark{{Name: test.benchmark}}
		trial.Results = []results.Result{{Benchmark: test.benchmark, Task: test.task, Query: "1", Measure: "nDCG@10", Value: &test.value}}
		set, err := scores.New([]*results.Experiment{{Name: "own", Trials: []results.Trial{trial}}})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if found := Counterparts(set, []*published.Collection{record}, nil); len(found) > 0 {
			shown, _ := besideTable(found)
			said = fmt.Sprintf("%s, %s", found[0].Verdict(), shown.Notes)
		}
		if said != test.want {
			t.Errorf("%s/%s %v: %q, want %q", test.benchmark, test.task, test.value, said, test.want)
		}
	}
}
