package suites_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/metrics"
	"infbench/metrics/suites"
	"infbench/metrics/trec"
)

// TestExamples computes every hand-worked example of shared/goldens. Expected values are
// trees whose leaves are {value}, with null for an undefined value.
func TestExamples(t *testing.T) {
	for _, e := range testkit.MeasureExamples(t) {
		var want any
		if err := json.Unmarshal(e.Expected, &want); err != nil {
			t.Fatal(err)
		}
		compute, known := computed[e.Measure]
		if !known {
			t.Errorf("%s (%s): no such measure here", e.Measure, e.Name)
			continue
		}
		got, err := compute(e.Input)
		if err != nil {
			t.Errorf("%s (%s): %v", e.Measure, e.Name, err)
			continue
		}
		for _, difference := range differences("", got, want) {
			t.Errorf("%s (%s): %s; %s", e.Measure, e.Name, difference, e.Working)
		}
	}
}

// differences compares the computed values with the expected ones, leaf by leaf.
func differences(at string, got, want any) (found []string) {
	if leaf, ok := want.(map[string]any); ok {
		if value, ok := leaf["value"].(float64); ok {
			v, number := got.(float64)
			if !number || !(math.Abs(v-value) <= 1e-12*math.Max(1, math.Abs(value))) {
				found = append(found, fmt.Sprintf("%s is %v, want %v", at, got, value))
			}
			return found
		}
		have, ok := got.(map[string]any)
		if !ok || len(have) != len(leaf) {
			return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
		}
		for _, key := range slices.Sorted(maps.Keys(leaf)) {
			if _, there := have[key]; !there {
				found = append(found, fmt.Sprintf("%s/%s is missing", at, key))
				continue
			}
			found = append(found, differences(at+"/"+key, have[key], leaf[key])...)
		}
		return found
	}
	if list, ok := want.([]any); ok {
		have, ok := got.([]any)
		if !ok || len(have) != len(list) {
			return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
		}
		for i := range list {
			found = append(found, differences(fmt.Sprint(at, "/", i), have[i], list[i])...)
		}
		return found
	}
	if want != nil || got != nil {
		found = append(found, fmt.Sprintf("%s is %v, want %v", at, got, want))
	}
	return found
}

// exact is a number, or a fraction as text.
type exact float64

func (e *exact) UnmarshalJSON(data []byte) error {
	r, ok := new(big.Rat).SetString(strings.Trim(string(data), `"`))
	if !ok {
		return fmt.Errorf("%s is not a number", data)
	}
	v, _ := r.Float64()
	*e = exact(v)
	return nil
}

func floats(values []*exact) []*float64 {
	var out []*float64
	for _, v := range values {
		out = append(out, (*float64)(v))
	}
	return out
}

// order is a ranking: documents, or documents with scores in the order of the file.
type order trec.Ranking

func (o *order) UnmarshalJSON(data []byte) error {
	var entries []any
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	for i, e := range entries {
		switch e := e.(type) {
		case string:
			*o = append(*o, trec.Scored{Doc: e, Score: float64(-i)})
		case []any:
			*o = append(*o, trec.Scored{Doc: e[0].(string), Score: e[1].(float64)})
		}
	}
	return nil
}

// docs lists the documents, best first, with ties in the order of the file or by ID.
func (o order) docs(ties string) []string {
	sorted := slices.Clone(trec.Ranking(o))
	if ties == "docid" {
		sorted.Sort()
	} else {
		slices.SortStableFunc(sorted, func(a, b trec.Scored) int {
			if a.Score > b.Score {
				return -1
			} else if a.Score < b.Score {
				return 1
			}
			return 0
		})
	}
	var docs []string
	for _, d := range sorted {
		docs = append(docs, d.Doc)
	}
	return docs
}

// scored is a run: query -> document -> score.
type scored map[string]map[string]float64

func (s scored) run() trec.Run {
	run := trec.Run{}
	for query, docs := range s {
		for doc, score := range docs {
			run[query] = append(run[query], trec.Scored{Doc: doc, Score: score})
		}
		run[query].Sort()
	}
	return run
}

// relevant builds judgments of grade 1.
func relevant(lists map[string][]string) trec.Qrels {
	qrels := trec.Qrels{}
	for query, docs := range lists {
		for _, doc := range docs {
			if qrels[query] == nil {
				qrels[query] = map[string]int{}
			}
			qrels[query][doc] = 1
		}
	}
	return qrels
}

// summary returns the value of a measure over queries, and that of each query with a value;
// nil if undefined.
func summary(name string, in metrics.Inputs) (any, map[string]any) {
	m, err := metrics.Parse(name)
	if err != nil {
		return err.Error(), nil
	}
	cases, err := in.Cases()
	if err != nil {
		return nil, nil
	}
	rows := metrics.ScoreAll([]metrics.Measure{m}, cases)[0]
	each := map[string]any{}
	for _, r := range rows {
		if r.OK {
			each[r.Case.Query] = r.Value
		}
	}
	value, ok := metrics.Summarize(m, rows)
	return orNil(value, ok), each
}

// summaries returns the values of several measures, by label.
func summaries(in metrics.Inputs, measures map[string]string) map[string]any {
	values := map[string]any{}
	for label, name := range measures {
		values[label], _ = summary(name, in)
	}
	return values
}

func orNil(value float64, ok bool) any {
	if !ok {
		return nil
	}
	return value
}

func pointed(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

func list(values []float64) []any {
	out := []any{}
	for _, v := range values {
		out = append(out, v)
	}
	return out
}

// aspectInput is the input of the measures of aspects.
type aspectInput struct {
	Ranking order
	Rounds  [][2]json.RawMessage
	Gold    []string
	Aspects []suites.Aspect
	K       int
	Alpha   exact
}

func (in aspectInput) rounds() (all []suites.Round, err error) {
	for _, r := range in.Rounds {
		var round suites.Round
		if err := json.Unmarshal(r[0], &round.Number); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(r[1], &round.Docs); err != nil {
			return nil, err
		}
		all = append(all, round)
	}
	return all, nil
}

// decoded decodes an input and passes it to compute.
func decoded[T any](compute func(in T) any) func(json.RawMessage) (any, error) {
	return func(data json.RawMessage) (any, error) {
		var in T
		if err := json.Unmarshal(data, &in); err != nil {
			return nil, err
		}
		return compute(in), nil
	}
}

// computed maps the names in the file to measures.
var computed = map[string]func(json.RawMessage) (any, error){
	"irs": decoded(func(in struct {
		Instructed, Baseline order
		Plus                 []string `json:"t_plus"`
		Minus                []string `json:"t_minus"`
		Size                 int      `json:"corpus_size"`
		Ties                 string
	}) any {
		return suites.Responsiveness(in.Instructed.docs(in.Ties), in.Baseline.docs(in.Ties), in.Plus, in.Minus, in.Size)
	}),
	"irs_summary": decoded(func(in struct {
		Pairs map[string]*exact
		Types map[string]string
	}) any {
		scores := map[string]*float64{}
		for pair, v := range in.Pairs {
			scores[pair] = (*float64)(v)
		}
		s := suites.SummarizeResponsiveness(scores, in.Types)
		types := map[string]any{}
		for kind, mean := range s.PerType {
			types[kind] = mean
		}
		return map[string]any{"n": float64(s.N), "skipped": float64(s.Skipped), "mean": s.Mean,
			"positive_rate": s.Positive, "negative_rate": s.Negative, "per_type": types}
	}),
	"brightpro_alpha_ndcg": decoded(func(in aspectInput) any {
		return orNil(suites.AlphaNDCG(in.Ranking.docs(""), in.Gold, suites.Normalise(in.Aspects), in.K, float64(in.Alpha)))
	}),
	"brightpro_aspect_recall": decoded(func(in aspectInput) any {
		return orNil(suites.AspectRecall(in.Ranking.docs(""), in.Gold, suites.Normalise(in.Aspects), in.K))
	}),
	"brightpro_task_mean": decoded(func(in struct{ Values []*exact }) any {
		mean, _ := suites.Mean(floats(in.Values))
		return mean
	}),
	"brightpro_rounds": func(data json.RawMessage) (any, error) {
		var in aspectInput
		if err := json.Unmarshal(data, &in); err != nil {
			return nil, err
		}
		rounds, err := in.rounds()
		values := []any{}
		for _, v := range suites.Rounds(rounds, in.Gold, suites.Normalise(in.Aspects), float64(in.Alpha)) {
			values = append(values, pointed(v))
		}
		return values, err
	},
	"brightpro_aer": decoded(func(in struct {
		Queries [][2]float64
		Gamma   exact
	}) any {
		var queries []suites.Judged
		for _, q := range in.Queries {
			queries = append(queries, suites.Judged{Quality: q[0], Rounds: int(q[1])})
		}
		return orNil(suites.EfficiencyQuality(queries, float64(in.Gamma)))
	}),
	"brightpro_coverage": decoded(func(in struct {
		Scores  []*exact
		Weights []float64
	}) any {
		c, _ := suites.CoverageOf(floats(in.Scores), in.Weights)
		return []any{c.Plain, c.Weighted, c.Completeness}
	}),
	"multiconir_win_rate": decoded(func(in struct{ Pairs [][2]float64 }) any {
		rate, difference, ok := suites.WinRate(in.Pairs)
		return map[string]any{"win_rate": orNil(rate, ok), "avg_diff": orNil(difference, ok)}
	}),
	"multiconir_monotonicity": decoded(func(in struct{ Rows [][]float64 }) any {
		m, ok := suites.MonotonicityOf(in.Rows)
		return map[string]any{"win_rates": list(m.WinRates), "mean": orNil(m.Mean, ok), "fully_monotone": orNil(m.Whole, ok)}
	}),
	"multiconir_flip_rate": decoded(func(in struct {
		Instruction [][]float64 `json:"instruction_rows"`
		Descriptive [][]float64 `json:"descriptive_rows"`
	}) any {
		return orNil(suites.FlipRate(in.Instruction, in.Descriptive))
	}),
	"browsecomp_retrieval": decoded(func(in struct {
		Run            map[string]order
		Evidence, Gold map[string][]string
		K              []int
	}) any {
		run := trec.Run{}
		for query, o := range in.Run {
			run[query] = trec.Ranking(o)
		}
		values := map[string]any{}
		for name, lists := range map[string]map[string][]string{"evidence": in.Evidence, "gold": in.Gold} {
			judged := metrics.Inputs{Run: run, Qrels: relevant(lists), Complete: true}
			values[name+"_ndcg@10"], _ = summary("nDCG@10", judged)
			for _, k := range in.K {
				values[fmt.Sprintf("%s_recall@%d", name, k)], _ = summary(fmt.Sprintf("R@%d", k), judged)
			}
		}
		return values
	}),
	"browsecomp_agent_recall": decoded(func(in struct{ Retrieved, Evidence map[string][]string }) any {
		return orNil(suites.AgentRecall(in.Retrieved, in.Evidence))
	}),
	"browsecomp_citations": decoded(func(in struct{ Cited, Evidence map[string][]string }) any {
		c := suites.CitationsOf(in.Cited, in.Evidence)
		return map[string]any{"coverage": c.Coverage, "citations": c.PerAnswer, "precision": c.Precision, "recall": c.EvidenceFound}
	}),
	"browsecomp_calibration": decoded(func(in struct{ Groups [][3]float64 }) any {
		var answers []suites.Answer
		for _, g := range in.Groups {
			for i := range int(g[0]) {
				answers = append(answers, suites.Answer{Confidence: g[1] / 100, Right: i < int(g[2])})
			}
		}
		return 100 * suites.PublishedCalibrationError(answers)
	}),
	"excluir": func(data json.RawMessage) (any, error) {
		var in struct{ Rows [][3]json.RawMessage }
		if err := json.Unmarshal(data, &in); err != nil {
			return nil, err
		}
		judged := metrics.Inputs{Run: trec.Run{}, Qrels: trec.Qrels{}, Complete: true}
		for i, row := range in.Rows {
			var ranking order
			var positive, negative string
			for i, into := range []any{&ranking, &positive, &negative} {
				if err := json.Unmarshal(row[i], into); err != nil {
					return nil, err
				}
			}
			query := fmt.Sprint(i)
			judged.Run[query] = trec.Ranking(ranking)
			judged.Qrels[query] = map[string]int{positive: 1, negative: 0}
		}
		return summaries(judged, map[string]string{"R@1": "R@1", "dR@1": "dR@1", "MRR@10": "RR@10", "dMRR@10": "dRR@10", "RR": "RightRank@10"}), nil
	},
	"nevir_paired_accuracy": decoded(func(in struct {
		Run   scored
		Qrels trec.Qrels
	}) any {
		value, _ := summary("PairedAccuracy", metrics.Inputs{Run: in.Run.run(), Qrels: in.Qrels, Complete: true})
		return value
	}),
	"followir_p_mrr": decoded(func(in struct {
		Run  scored
		Diff map[string][]string
	}) any {
		paired, _ := metrics.Inputs{Run: in.Run.run(), Changed: in.Diff}.Paired()
		value, each := summary("p-MRR", paired)
		return map[string]any{"p_mrr": value, "per_query": each}
	}),
	"followir_groups": decoded(func(in struct {
		Run   scored
		Qrels trec.Qrels
	}) any {
		values := map[string]any{}
		for label, measure := range map[string]string{"map@1000": "AP@1000", "mrr@10": "RR@10"} {
			sides := map[string]any{}
			for _, side := range []string{"og", "changed"} {
				run := in.Run.run()
				maps.DeleteFunc(run, func(query string, _ trec.Ranking) bool {
					return strings.HasSuffix(query, "-og") != (side == "og")
				})
				sides[side], _ = summary(measure, metrics.Inputs{Run: run, Qrels: in.Qrels})
			}
			values[label] = sides
		}
		return values
	}),
	"mteb_board": decoded(func(in struct {
		Scores map[string]map[string]float64
		Types  map[string]string
	}) any {
		board := map[string]any{}
		for model, s := range suites.Board(in.Scores, in.Types) {
			types := map[string]any{}
			for kind, mean := range s.Types {
				types[kind] = pointed(mean)
			}
			board[model] = map[string]any{"mean_task": pointed(s.MeanTask), "mean_task_type": pointed(s.MeanType), "types": types,
				"points": s.Points, "rank": float64(s.Rank)}
		}
		return board
	}),
	"mteb_r_cap": decoded(func(in struct {
		Ranking  order
		Relevant []string
		K        int
	}) any {
		judged := map[string]int{}
		for _, doc := range in.Relevant {
			judged[doc] = 1
		}
		return orNil(metrics.CappedRecall{K: in.K}.Score(&metrics.Case{Ranking: trec.Ranking(in.Ranking), Judgments: judged}))
	}),
	"mteb_hole": decoded(func(in struct {
		Ranking   order
		Annotated []string
		K         int
	}) any {
		pool := metrics.NewPool(relevant(map[string][]string{"another query": in.Annotated}))
		return orNil(metrics.Hole{K: in.K}.Score(&metrics.Case{Ranking: trec.Ranking(in.Ranking), Pool: pool}))
	}),
	"mteb_robustness": decoded(func(in struct {
		Values map[string]exact `json:"ndcg10"`
	}) any {
		var rows []metrics.Row
		for _, query := range slices.Sorted(maps.Keys(in.Values)) {
			rows = append(rows, metrics.Row{Case: &metrics.Case{Query: query}, Value: float64(in.Values[query]), OK: true})
		}
		value, ok := metrics.Robustness{K: 10, Separator: "_"}.Summarize(rows)
		return orNil(value, ok)
	}),
}
