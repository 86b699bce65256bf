package paperview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// followIR returns a finished trial on FollowIR's three tasks in which all queries have
// one value.
func followIR(benchmark string, config map[string]string, quality, pair float64, picked results.Selection) results.Trial {
	t := results.Trial{ID: fmt.Sprint(benchmark, config), State: results.Done, Config: config, Selection: picked}
	t.Provenance.Benchmarks = []results.Benchmark{{Name: benchmark, Revision: "r1"}}
	for _, task := range []struct{ name, measure string }{{"robust04", "AP@1000"}, {"news21", "nDCG@5"}, {"core17", "AP@1000"}} {
		for _, q := range []string{"1", "2"} {
			t.Results = append(t.Results,
				results.Result{Benchmark: benchmark, Task: task.name, Query: q, Side: datasets.Original, Measure: task.measure, Value: &quality},
				results.Result{Benchmark: benchmark, Task: task.name, Query: q, Measure: "p-MRR", Value: &pair})
		}
	}
	return t
}

// mair returns a finished trial on two of MAIR's tasks.
func mair(config map[string]string, value float64) results.Trial {
	t := results.Trial{ID: fmt.Sprint("mair", config), State: results.Done, Config: config}
	t.Provenance.Benchmarks = []results.Benchmark{{Name: "mair", Revision: "r1"}}
	for _, task := range []string{"DD_2015", "DD_2016"} {
		t.Results = append(t.Results, results.Result{Benchmark: "mair", Task: task, Query: "1", Measure: "nDCG@10", Value: &value})
	}
	return t
}

func setOf(t *testing.T, trials ...results.Trial) *scores.Set {
	t.Helper()
	set, err := scores.New([]*results.Experiment{{Name: "own", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const (
	swapped = "followir-mteb1"
	qwen    = "Qwen/Qwen2.5-1.5B"
)

func trainedConfig(backbone, loss string) map[string]string {
	return map[string]string{"model": backbone, "backbone": backbone, "loss": loss, "interaction": "concat", "data": "inf-ir"}
}

func untrainedConfig(backbone string) map[string]string {
	return map[string]string{"model": "untrained", "backbone": backbone, "interaction": "concat", "data": "inf-ir"}
}

// rowsOf returns the rows of the table under a heading whose text starts with begins.
func rowsOf(t *testing.T, all []section.Section, title, begins string) []string {
	t.Helper()
	return slices.DeleteFunc(texts(titled(t, all, title)[0]), func(row string) bool { return !strings.HasPrefix(row, begins) })
}

var onTest, onValidation = results.Selection{On: "test", Measure: "p-MRR", Among: 2}, results.Selection{On: "validation", Measure: "p-MRR", Among: 2}

// TestMainOfRuns checks the runs in the rows and columns of table 2. A row has the pick of
// the plan's select, marked if it was made on the test. Missing runs are marked, a model
// that was evaluated twice has one row, and each measured row is below the printed one.
func TestMainOfRuns(t *testing.T) {
	set := setOf(t,
		followIR(swapped, untrainedConfig(qwen), .06, .003, results.Selection{}),
		followIR(swapped, trainedConfig(qwen, "uni(P)"), .2, .01, results.Selection{}),
		followIR(swapped, trainedConfig(qwen, "multi(P,I)"), .15, .03, onTest),
		followIR(swapped, trainedConfig("tiny", "uni(P)"), .1, .02, onValidation),
		followIR(swapped, map[string]string{"model": "intfloat/e5-base-v2"}, .134, -.05, results.Selection{}),
		mair(map[string]string{"model": "intfloat/e5-base-v2", "tasks": "DD_2015,DD_2016"}, .4))
	all := sections(t, "main", set, Options{Published: paper(t)})
	const title = "main: measured, as the paper's Table 2"
	panel := titled(t, all, title)[0]
	if got := heads(panel); got != "model|trained|Robust04 MAP|Robust04 p-MRR|News21 nDCG@5|News21 p-MRR|Core17 MAP|Core17 p-MRR|FollowIR score|FollowIR p-MRR|DD-15 nDCG@10|DD-16 nDCG@10|DD-17 nDCG@10|FR-21 nDCG@10|FR-22 nDCG@10|Bright nDCG@10" {
		t.Errorf("columns %s", got)
	}
	none := strings.Repeat("|missing", 14)
	for begins, want := range map[string][]string{
		"Qwen2.5-1.5B|": {
			"Qwen2.5-1.5B|base (untrained)|6.0|+0.3|6.0|+0.3|6.0|+0.3|6.0|+0.3" + strings.Repeat("|missing", 6),
			"Qwen2.5-1.5B|InF-Embed: multi(P,I), selected on test|15.0|+3.0|15.0|+3.0|15.0|+3.0|15.0|+3.0" + strings.Repeat("|missing", 6)},
		"tiny|": {"tiny|base" + none,
			"tiny|InF-Embed: uni(P), selected on validation|10.0|+2.0|10.0|+2.0|10.0|+2.0|10.0|+2.0" + strings.Repeat("|missing", 6)},
		"e5-base-v2|": {"e5-base-v2|base (untrained)|13.4|-5.0|13.4|-5.0|13.4|-5.0|13.4|-5.0|40.0|40.0|missing|missing|missing|missing",
			"e5-base-v2|InF-Embed" + none},
		"ModernBERT-base|": {"ModernBERT-base|base" + none, "ModernBERT-base|InF-Embed" + none},
	} {
		if got := rowsOf(t, all, title, begins); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", begins, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if len(panel.Rows) != 20 {
		t.Errorf("%d rows, want the paper's 18 and 2 of tiny", len(panel.Rows))
	}
	if notes := strings.Join(panel.Notes, "\n"); !strings.Contains(notes, "on the numbers shown here") {
		t.Errorf("the pick on the test is not explained: %s", notes)
	}
	both := rowsOf(t, all, "Comparison with InF-IR, table 2", "Qwen2.5-1.5B|")
	if len(both) != 4 || !strings.HasPrefix(both[0], "Qwen2.5-1.5B|base|paper|4.7|-0.5") || !strings.HasPrefix(both[1], "Qwen2.5-1.5B|base (untrained)|here|6.0|+0.3") || !strings.HasPrefix(both[3], "Qwen2.5-1.5B|InF-Embed: multi(P,I), selected on test|here|15.0") {
		t.Errorf("side by side:\n%s", strings.Join(both, "\n"))
	}
}

// TestMainOfOtherConventions checks that a number with other conventions than the paper's
// has a note.
func TestMainOfOtherConventions(t *testing.T) {
	set := setOf(t, followIR("followir", trainedConfig(qwen, "uni(P)"), .2, .01, onValidation))
	notes := strings.Join(titled(t, sections(t, "main", set, Options{}), "main: measured, as the paper's Table 2")[0].Notes, "\n")
	if strings.Contains(notes, "every loss is shown") {
		t.Errorf("something was picked: %s", notes)
	}
	if !strings.Contains(notes, "Robust04 MAP is measured on followir/robust04: judgments: original, not changed.") {
		t.Errorf("notes %s", notes)
	}
}

// TestMainUnpicked checks that if no experiment picks, every loss is shown, with a note.
func TestMainUnpicked(t *testing.T) {
	set := setOf(t, followIR(swapped, trainedConfig(qwen, "uni(P)"), .2, .01, results.Selection{}), followIR(swapped, trainedConfig(qwen, "uni(I)"), .1, .02, results.Selection{}))
	all := sections(t, "main", set, Options{})
	const title = "main: measured, as the paper's Table 2"
	if rows := rowsOf(t, all, title, "Qwen2.5-1.5B|InF-Embed: uni("); len(rows) != 2 || !strings.Contains(strings.Join(titled(t, all, title)[0].Notes, "\n"), "every loss is shown") {
		t.Errorf("%q", rows)
	}
}

// TestLossesOfRuns checks that the rows of tables 3 and 6 are losses under both names.
// Attention has its own rows, and its best is the plan's pick.
func TestLossesOfRuns(t *testing.T) {
	crossed := func(loss string) map[string]string {
		c := trainedConfig(qwen, loss)
		c["interaction"] = "cross_attention"
		return c
	}
	set := setOf(t,
		followIR(swapped, untrainedConfig(qwen), .06, .003, results.Selection{}),
		followIR(swapped, trainedConfig(qwen, "multi(P,I)"), .2, .01, onValidation),
		followIR(swapped, crossed("uni(P)"), .1, .02, onValidation),
		followIR(swapped, crossed("uni(I)"), .09, .01, results.Selection{}))
	all := sections(t, "losses", set, Options{})
	panel := titled(t, all, "losses: measured, as the paper's Table 3")[0]
	j := slices.IndexFunc(panel.Columns[2:], func(c table.Column) bool { return c.Flat() == "Qwen2.5-1.5B FollowIR score" }) + 2
	var got []string
	for _, r := range panel.Rows {
		if r.Entries[j].Sort != nil {
			got = append(got, r.Entries[0].Text+"|"+r.Entries[1].Text+"|"+r.Entries[j].Text)
		}
	}
	want := []string{"base|Base|6.0", `multi(P,I)|w/ $\ell_{P,I}^{multi}$|20.0`, "attention, best|Attn Best|10.0", "attention, uni(I)||9.0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	detail := titled(t, all, "losses: measured, as the paper's Table 6")
	if len(detail) != 4 || len(detail[0].Rows) != 13 || detail[0].Rows[1].Entries[1].Text != "w/ ℓ_{PI}^{uni}" {
		t.Errorf("%d panels, the first %v", len(detail), texts(detail[0]))
	}
}

// TestDesignsOfRuns checks that table 4's rows are designs, followed by a design that is
// not in the paper.
func TestDesignsOfRuns(t *testing.T) {
	design := func(pooling, epochs string) map[string]string {
		c := trainedConfig(qwen, "uni(P)")
		c["design.share_encoder"], c["design.pooling"], c["train.epochs"] = "true", pooling, epochs
		return c
	}
	set := setOf(t, followIR(swapped, design("mean", "2"), .1, .02, results.Selection{}), followIR(swapped, design("cls", "2"), .1, .03, results.Selection{}))
	got := texts(titled(t, sections(t, "designs", set, Options{}), "designs: measured, as the paper's Table 4")[0])
	want := []string{"1|last|2|Qwen2.5-1.5B|missing", "1|avg|2|Qwen2.5-1.5B|+2.0", "0|last|2|Qwen2.5-1.5B|missing", "1|last|1|Qwen2.5-1.5B|missing", "1|cls|2|Qwen/Qwen2.5-1.5B, uni(P)|+3.0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBaselinesOfRuns checks that baselines are in the groups of table 5. The paper's BM25
// is the one that counts among candidates. Systems that are not in the paper have their
// own groups.
func TestBaselinesOfRuns(t *testing.T) {
	set := setOf(t,
		followIR(swapped, map[string]string{"model": "bm25-okapi-candidates"}, .12, -.03, results.Selection{}),
		followIR(swapped, map[string]string{"model": "bm25"}, .11, -.02, results.Selection{}),
		followIR(swapped, map[string]string{"model": "constant"}, .01, 0, results.Selection{}),
		followIR(swapped, trainedConfig(qwen, "uni(P)"), .2, .01, onValidation),
		followIR(swapped, trainedConfig(qwen, "uni(I)"), .1, .01, results.Selection{}))
	panel := titled(t, sections(t, "baselines", set, Options{}), "baselines: measured, as the paper's Table 5")[0]
	if notes := strings.Join(panel.Notes, "\n"); !strings.Contains(notes, "Left out: 1 trained system, because ") || !strings.Contains(notes, "uni(I)") {
		t.Errorf("a trained system is left out, and the notes are %q", notes)
	}
	group, got := "", []string{}
	for _, r := range panel.Rows {
		if r.Class == "heading" {
			group = r.Entries[0].Text
		} else if e := r.Entries[1]; e.Sort != nil {
			got = append(got, group+"|"+r.Entries[0].Text+"|"+e.Text)
		}
	}
	want := []string{"Sparse Retrieval|BM25 (2009)|12.0", "Large Size: 1-5B parameters|InF-Embed (Qwen2.5-1.5B)|20.0", "Not in the paper's table|bm25|11.0", "Systems that do not look at the query|constant|1.0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestQualityLayout checks the layout of figure 6: a row for each training method with its
// numbers on all records, on the approved ones, and the gain; a chart of p-MRR with a mark
// for each.
func TestQualityLayout(t *testing.T) {
	all := trainedConfig(qwen, "uni(P)")
	all["data"] = "inf-ir-unfiltered"
	alone := trainedConfig(qwen, "uni(IQ)")
	asLong := maps.Clone(all)
	asLong["train.steps_of"] = "inf-ir"
	trials := []results.Trial{followIR(swapped, trainedConfig(qwen, "uni(P)"), .2, .03, results.Selection{}), followIR(swapped, all, .15, .01, results.Selection{}), followIR(swapped, alone, .1, .1, results.Selection{})}
	if notes := strings.Join(titled(t, sections(t, "quality", setOf(t, trials...), Options{}), "quality: training on the records that a judge approved, compared with all records, as the paper's figure 6")[0].Notes, "\n"); !strings.Contains(notes, "Nothing was compared at equal steps") {
		t.Errorf("one comparison alone says %q", notes)
	}
	set := setOf(t, append(trials, followIR(swapped, asLong, .1, .02, results.Selection{}))...)
	found := sections(t, "quality", set, Options{})
	const title = "quality: training on the records that a judge approved, compared with all records, as the paper's figure 6"
	panel := titled(t, found, title)[0]
	got := texts(panel)
	if len(got) != 2 || !strings.HasPrefix(got[0], "uni(P)|epochs|15.0|20.0|+5.0|") || !strings.HasPrefix(got[1], "uni(P)|steps|10.0|20.0|+10.0|") {
		t.Errorf("%q", got)
	}
	if h := heads(panel); !strings.HasPrefix(h, "trained|at equal|followir-mteb1 (mean of 3 tasks) FollowIR score original all records|followir-mteb1 (mean of 3 tasks) FollowIR score original approved|followir-mteb1 (mean of 3 tasks) FollowIR score original gain|") {
		t.Errorf("columns %s", h)
	}
	figures := found[0].Figures
	if len(figures) == 0 || len(figures[0].Marks) != 2 || figures[0].Marks[0].Name != "approved" || figures[0].Drawing == nil || strings.Join(texts(figures[0].Table), ";") != "uni(P), equal epochs|+3.0|+1.0;uni(P), equal steps|+3.0|+2.0" {
		t.Errorf("figures %+v", figures)
	}
}

// TestQualityByJudge checks that records of a curated corpus are paired by judge: the ones
// that a judge kept with all of them.
func TestQualityByJudge(t *testing.T) {
	judged := func(judge, stepsOf string) map[string]string {
		c := trainedConfig(qwen, "uni(P)")
		for key, value := range map[string]string{"data": "corpus", "judge": judge, "train.steps_of": stepsOf} {
			if value != "" {
				c[key] = value
			}
		}
		return c
	}
	set := setOf(t, followIR(swapped, judged("majority", ""), .2, .03, results.Selection{}), followIR(swapped, judged("none", ""), .15, .01, results.Selection{}),
		followIR(swapped, judged("", ""), .25, .04, results.Selection{}), followIR(swapped, judged("none", "corpus"), .1, .02, results.Selection{}))
	var got []string
	for _, f := range filterings(set.Trained()) {
		got = append(got, fmt.Sprintf("%s: %s against %s", f.name(), f.approved.Config()["judge"], f.all.Config()["judge"]))
	}
	want := []string{"uni(P), judge=majority, equal epochs: majority against none", "uni(P), equal epochs:  against none",
		"uni(P), judge=majority, equal steps: majority against none", "uni(P), equal steps:  against none"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func study(kind, name string, values ...results.StudyValue) *results.Study {
	return &results.Study{Format: results.StudyFormat, Kind: kind, Name: name, Level: .95, Values: values}
}

func valued(measure, of string, v float64) results.StudyValue {
	return results.StudyValue{Measure: measure, Of: of, N: 100, Value: &v}
}

// TestAgreementLayout checks the layout of figure 4: a row and a bar for each judge with
// its mean kappa with people, and for people among themselves.
func TestAgreementLayout(t *testing.T) {
	low, high := .6, .8
	judge := valued("mean of Cohen's kappa", "o3-mini | humans", .7)
	judge.Low, judge.High = &low, &high
	found := sections(t, "agreement", &scores.Set{}, Options{Studies: []*results.Study{study("agreement", "picks",
		valued("Cohen's kappa", "a | b", .5), valued("mean of Cohen's kappa", "humans", .75), judge, valued("mean of Cohen's kappa", "gpt-4o | humans", .6), valued("Fleiss' kappa", "all", .4))}})
	panel := titled(t, found, "agreement, as the paper's figure 4")[0]
	want := []string{"picks|humans|100|0.7500|", "picks|o3-mini|100|0.7000|[0.6000, 0.8000]", "picks|gpt-4o|100|0.6000|"}
	if got := texts(panel); heads(panel) != "study|rater|n|kappa|interval" || !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", heads(panel), got, want)
	}
	if f := found[0].Figures; len(f) != 1 || len(f[0].Marks[0].Data) != 3 || f[0].Marks[0].Data[1].Low != .6 {
		t.Errorf("figures %+v", f)
	}
	if every := titled(t, found, "agreement: every number")[0]; len(every.Rows) != 5 {
		t.Errorf("%d numbers", len(every.Rows))
	}
}

// TestDisagreements checks that a study of annotators shows kappa by role, the noise that
// people found, and the items on which raters disagree, each linked to its texts.
func TestDisagreements(t *testing.T) {
	s := study("agreement", "picks", valued("mean of Cohen's kappa", "o3 | humans", .7), valued("mean of Cohen's kappa, by role", "o3 | humans", .6),
		valued("mean of Cohen's kappa", "late | humans", .5), valued("wrong records", "negation", .1))
	s.Disagreements = []results.Disagreement{{Item: 7, ID: "q-7", Record: "r", Scenario: "I+Q-", Type: "negation", Instruction: "<b>", Query: "q\x1b",
		Candidates: []results.DisagreedOn{{Role: "P+", Text: "a", Raters: []string{"ann", "o3"}}, {Role: "P2-", Right: true, Text: "b", Raters: []string{"bob"}}}, None: []string{"eve"}}}
	found := sections(t, "agreement", &scores.Set{}, Options{Studies: []*results.Study{s}})
	if got := texts(titled(t, found, "agreement, as the paper's figure 4")[0]); !slices.Equal(got, []string{"picks|o3|100|0.7000||0.6000", "picks|late|100|0.5000||" + words.MissingMark}) {
		t.Errorf("%q", got)
	}
	if len(found[0].Figures) != 2 {
		t.Errorf("%d figures", len(found[0].Figures))
	}
	panel := titled(t, found, "picks: items on which raters disagree")[0]
	if got := texts(panel); !slices.Equal(got, []string{"q-7|r|I+Q-|negation|1 P+: ann, o3; 2 P2-: bob; none: eve"}) {
		t.Errorf("%q", got)
	}
	last := found[len(found)-1].Parts[0].Parts[0]
	if last.ID != panel.Rows[0].Entries[0].To || len(last.Terms) != 5 || last.Terms[1].Text != "q\ufffd" || last.Terms[3].Name != "2 P2-, right" || last.Terms[3].More[0] != "picked by bob" {
		t.Errorf("%+v", last)
	}
}

// TestDiversityLayout checks the layout of figure 3b: a row for each collection with its
// average pairwise similarity and its n-gram frequencies, and a chart of each.
func TestDiversityLayout(t *testing.T) {
	found := sections(t, "diversity", &scores.Set{}, Options{Studies: []*results.Study{
		study("diversity", "promptriever", valued("INGF-1 dqi_t1", "words", 30), valued("APS", "texts", .8)),
		study("diversity", "inf-ir", valued("INGF-1 dqi_t1", "words", 50), valued("APS", "texts", .7), valued("self-BLEU-4", "texts", .1))}})
	panel := titled(t, found, "diversity, as the paper's figure 3b")[0]
	want := []string{"inf-ir|100|0.7000|50.0000", "promptriever|100|0.8000|30.0000"}
	if got := texts(panel); heads(panel) != "collection|n|APS|INGF-1 dqi_t1" || !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", heads(panel), got, want)
	}
	if f := found[0].Figures; len(f) != 2 || f[0].Title != "APS" || len(f[0].Marks[0].Data) != 2 {
		t.Errorf("figures %+v", f)
	}
}

// TestDataLayout checks that counts of a collection are in the columns of table 1, with
// the others missing.
func TestDataLayout(t *testing.T) {
	found := sections(t, "data", &scores.Set{}, Options{Studies: []*results.Study{study("data", "mini-infir", valued("#Q", "", 1234), valued("avg_Q_words", "", 8.056))}})
	if every := texts(titled(t, found, "data: every number")[0]); !slices.Equal(every, []string{"mini-infir|#Q||100|1,234|", "mini-infir|avg_Q_words||100|8.0560|"}) {
		t.Errorf("every number %q", every)
	}
	panel := titled(t, found, "data, as the paper's Table 1")[0]
	if got := texts(panel); len(got) != 1 || got[0] != "mini-infir"+strings.Repeat("|missing", 9)+"|1,234|missing|missing|8.06|missing" {
		t.Errorf("%q", got)
	}
}

// TestLossesBesideOther shows losses on a benchmark that is not in the paper together with
// the numbers of its Table 3, row by row, as printed.
func TestLossesBesideOther(t *testing.T) {
	base := untrainedConfig("tiny-bert")
	set := setOf(t, mair(base, .1), mair(trainedConfig("tiny-bert", "uni(P)"), .4), mair(trainedConfig("tiny-bert", "multi(P,I)"), .5), mair(trainedConfig("tiny-bert", "multi(Q,Q)"), .2))
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	all, err := Sections("losses", set, Options{Published: []*published.Collection{paper}})
	if err != nil {
		t.Fatal(err)
	}
	both := titled(t, all, "Comparison with "+published.SourcePaper+", table 3")[0]
	if own, printed := both.Columns[2], both.Columns[3]; !strings.HasPrefix(own.Group, "measured here: ") || printed.Group != "ModernBERT-base" {
		t.Fatalf("columns %+v", both.Columns[:5])
	}
	rows := texts(both)
	for _, want := range []string{"base|Base|10.0|4.76|-0.27|", "uni(P)|w/ $\\ell_{P,I}^{uni}$|40.0|9.70|-0.22|", "multi(P,I)|w/ $\\ell_{P,I}^{multi}$|50.0|13.27|0.09|"} {
		if !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, want) }) {
			t.Errorf("no row %q in %q", want, rows)
		}
	}
	last := rows[len(rows)-1]
	if !strings.HasPrefix(last, "multi(Q,Q)||20.0|") || len(rows) != 15 {
		t.Errorf("%d rows, the last %q", len(rows), last)
	}
}
