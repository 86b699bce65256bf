package annotate

import (
	"bytes"
	"fmt"
	"strings"

	"infbench/bench/output"
	"infbench/datasets/annotate"
	"infbench/internal/words"
	"infbench/metrics/agreement"
	"infbench/metrics/stats"
	"infbench/runners/results"
)

// study is the result of reading picks.
type study struct {
	Position *agreement.Report      `json:"agreement"` // labels are positions
	Role     *agreement.Report      `json:"agreement_by_role"`
	Right    []correct              `json:"right"`
	Noise    []noise                `json:"noise"`
	Differ   []results.Disagreement `json:"disagreements"`
	Notes    []string               `json:"notes"`

	rated *annotate.Rated
	boot  stats.Bootstrap
}

// correct is how often a rater picked the right passage, and how far the rater agrees with the
// corpus beyond chance.
type correct struct {
	Rater    string         `json:"rater"`
	Right    int            `json:"right"`
	N        int            `json:"n"`
	Share    stats.Number   `json:"share"`
	Interval stats.Interval `json:"interval"` // Wilson's
	Kappa    stats.Number   `json:"kappa"`
	Within   stats.Interval `json:"kappa_interval"`
}

// noise is a group of the audit, with the share of wrong records among the decided ones.
type noise struct {
	annotate.Noise
	Share    stats.Number   `json:"share"`
	Interval stats.Interval `json:"interval"` // Wilson's
}

// measure computes a study.
func measure(rated *annotate.Rated, boot stats.Bootstrap) (*study, error) {
	s := &study{rated: rated, boot: boot, Noise: []noise{}, Differ: disagreements(rated), Notes: notes(rated)}
	var err error
	if s.Position, err = s.report(rated.Position); err != nil {
		return nil, err
	}
	if s.Role, err = s.report(rated.Role); err != nil {
		return nil, err
	}
	if s.Right, err = s.correct(); err != nil {
		return nil, err
	}
	for _, n := range rated.Noise() {
		share, interval := stats.Wilson(n.Wrong, n.Wrong+n.Right, boot.Level)
		s.Noise = append(s.Noise, noise{n, share, interval})
	}
	return s, nil
}

// labelled is a table of ratings in the format of infbench data agreement: a column per rater,
// a line per item.
func (s *study) labelled(label func(item, rater int) string) output.Sheet {
	var t output.Sheet
	for _, r := range s.rated.Raters {
		t.Head = append(t.Head, r.Name)
	}
	for i := range s.rated.Items {
		row := make([]string, len(t.Head))
		for j := range row {
			row[j] = label(i, j)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// read reads a table of ratings with the reader of data agreement, so that the numbers are the
// same.
func (s *study) read(t output.Sheet) (*agreement.Ratings, error) {
	var b bytes.Buffer
	if err := t.WriteCSV(&b); err != nil {
		return nil, err
	}
	return agreement.ReadCSV(&b, "picks of "+s.rated.Source, nil, nil)
}

// report computes the agreement for one kind of label.
func (s *study) report(label func(item, rater int) string) (*agreement.Report, error) {
	r, err := s.read(s.labelled(label))
	if err != nil {
		return nil, err
	}
	var models []int
	for i, rater := range s.rated.Raters {
		if !rater.Human {
			models = append(models, i)
		}
	}
	return agreement.Measure(r, models, agreement.Unweighted, agreement.Nominal, s.boot)
}

// corpus is the column of the passages that are right by the corpus.
const corpus = "the corpus"

// correct compares every rater with the corpus.
func (s *study) correct() ([]correct, error) {
	t := s.labelled(s.rated.Position)
	t.Head = append(t.Head, corpus)
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], fmt.Sprint(s.rated.Items[i].Answer()+1))
	}
	r, err := s.read(t)
	if err != nil {
		return nil, err
	}
	var out []correct
	for _, p := range agreement.Pairwise(r, agreement.Unweighted, s.boot.Level) {
		if p.B == len(s.rated.Raters) {
			out = append(out, s.held(p))
		}
	}
	return out, nil
}

// held compares one rater with the corpus.
func (s *study) held(p agreement.Pair) correct {
	rater := s.rated.Raters[p.A]
	c := correct{Rater: rater.Name, N: p.N, Kappa: p.Value, Within: p.Interval}
	for i, pick := range rater.Picks {
		if pick == s.rated.Items[i].Answer() {
			c.Right++
		}
	}
	c.Share, c.Interval = stats.Wilson(c.Right, c.N, s.boot.Level)
	return c
}

// notes are the facts that a reader must know about the ratings.
func notes(r *annotate.Rated) []string {
	out := []string{}
	for _, rater := range r.Raters {
		missing := len(r.Items)
		for _, pick := range rater.Picks {
			if pick != annotate.Missing {
				missing--
			}
		}
		if missing == 0 {
			continue
		}
		note := fmt.Sprintf("%s rated %d of %d items", rater.Name, len(r.Items)-missing, len(r.Items))
		for _, why := range words.SortedKeys(rater.Lost) {
			note += fmt.Sprintf("; %d no rating: %s", rater.Lost[why], why)
		}
		out = append(out, note)
	}
	if share := r.Settled(); share > .9 {
		out = append(out, fmt.Sprintf("the right passage has the same position in %.0f%% of the questions: they are not shuffled, and kappa by position is kappa by role", 100*share))
	}
	return out
}

// disagreements are the items that raters answered differently, with their texts.
func disagreements(r *annotate.Rated) []results.Disagreement {
	out := []results.Disagreement{}
	for _, i := range r.Disagreed() {
		it := &r.Items[i]
		d := results.Disagreement{Item: i + 1, ID: it.ID, Record: it.Record, Scenario: string(it.Scenario), Type: it.Type,
			Instruction: annotate.Readable(it.Instruction), Query: annotate.Readable(it.Query)}
		for _, c := range it.Candidates {
			d.Candidates = append(d.Candidates, results.DisagreedOn{Role: string(c.Role), Right: c.Role == it.Scenario.Right(), Text: annotate.Readable(c.Text)})
		}
		for _, rater := range r.Raters {
			switch at := rater.Picks[i]; {
			case at == annotate.Missing:
			case at < 0:
				d.None = append(d.None, rater.Name)
			default:
				d.Candidates[at].Raters = append(d.Candidates[at].Raters, rater.Name)
			}
		}
		out = append(out, d)
	}
	return out
}

// byRole is appended to the name of a coefficient whose labels are roles.
const byRole = ", by role"

// textsAtMost is the number of disagreements that a study keeps with their texts: nobody reads
// a page of more, and --out has all of them.
const textsAtMost = 300

// kept converts the study for views.
func (s *study) kept(name string) *results.Study {
	k := &results.Study{Kind: "agreement", Name: name, Level: s.boot.Level, Disagreements: s.Differ[:min(len(s.Differ), textsAtMost)],
		Facts: append([]string{agreementTitle(s.Position), "labels: positions of candidates"}, s.Notes...)}
	if len(s.Differ) > textsAtMost {
		k.Facts = append(k.Facts, fmt.Sprintf("raters disagree on %d items; the first %d are listed here", len(s.Differ), textsAtMost))
	}
	k.Values = agreementValues(s.Position)
	for _, v := range agreementValues(s.Role) {
		v.Measure += byRole
		k.Values = append(k.Values, v)
	}
	for _, c := range s.Right {
		k.Values = append(k.Values, valued("picks the right passage", c.Rater, c.N, c.Share, c.Interval),
			valued("Cohen's kappa with the corpus", c.Rater, c.N, c.Kappa, c.Within))
	}
	for _, n := range s.Noise {
		k.Values = append(k.Values, valued("wrong records", n.group(), n.Wrong+n.Right, n.Share, n.Interval))
	}
	return k
}

func valued(measure, of string, n int, value stats.Number, i stats.Interval) results.StudyValue {
	v := results.StudyValue{Measure: measure, Of: of, N: n, Value: value.Pointer()}
	v.Low, v.High = i.Ends()
	return v
}

// group names the records that a line of the audit counts.
func (n noise) group() string {
	out := n.Type
	if out == "" {
		out = "type not recorded"
	}
	if n.Passed {
		out += ", passed by most judges"
	}
	return strings.TrimSpace(out)
}
