package annotate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"infbench/datasets/curate"
)

// Missing is the pick for an item that a rater did not rate.
const Missing = -2

// Rated has the picks of people and judges for some items.
type Rated struct {
	Source string // base name of the items' file
	Items  []Item
	Raters []Rater // people first
}

// Rater is a person or a judge.
type Rater struct {
	Name  string
	Human bool
	Picks []int          // by item: the position of a candidate, curate.None or Missing
	Lost  map[string]int // number of answers without a rating, by reason
}

// Read joins a key or a file of questions with the picks in files: those saved by annotators, and
// files of questions with picks of further judges. Without annotators only the judges' picks are
// compared.
func Read(source string, files []string) (*Rated, error) {
	if source, err := FileOf(source); err != nil {
		return nil, err
	} else if isQuestions(source) {
		return judged(source, files)
	}
	k, err := ReadKey(source)
	if err != nil {
		return nil, err
	}
	r := &Rated{Source: k.Source, Items: k.Items}
	for i := range r.Items {
		r.carried(i)
	}
	from := map[string]string{} // annotator to file
	for _, file := range files {
		if file, err = FileOf(file); err == nil && isQuestions(file) {
			err = r.further(file)
		} else if err == nil {
			err = r.annotator(k, file, from)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, r.complete()
}

// annotator adds the picks that an annotator saved; from maps earlier annotators to their files.
func (r *Rated) annotator(k *Key, file string, from map[string]string) error {
	p, err := k.ReadPicks(file)
	if err != nil {
		return err
	}
	if first, again := from[p.Annotator]; again {
		return fmt.Errorf("%s: picks of %s, whose picks %s has too", file, p.Annotator, first)
	}
	if r.find(p.Annotator) >= 0 {
		return fmt.Errorf("%s: annotator %s has the name of a judge of %s", file, p.Annotator, r.Source)
	}
	from[p.Annotator] = file
	r.person(p)
	return nil
}

// find returns the index of a rater, -1 if nobody has that name.
func (r *Rated) find(name string) int {
	return slices.IndexFunc(r.Raters, func(o Rater) bool { return o.Name == name })
}

// judged reads all questions of a file as the judges saw them. It keeps texts only for questions
// with differing answers, since a corpus may have a hundred thousand.
func judged(file string, files []string) (*Rated, error) {
	if len(files) > 0 {
		return nil, fmt.Errorf("%s is not a key: picks of annotators need the key of their sheet", file)
	}
	r := &Rated{Source: filepath.Base(file)}
	for it, err := range Questions(file) {
		if err != nil {
			return nil, err
		}
		r.Items = append(r.Items, *it)
		i := len(r.Items) - 1
		if r.carried(i); !r.differ(i) {
			r.Items[i].dropTexts()
		}
	}
	if len(r.Items) == 0 {
		return nil, fmt.Errorf("%s: no question", file)
	}
	recordTypes(file, r.Items)
	return r, r.complete()
}

// dropTexts frees the texts and the judges' picks of an item.
func (it *Item) dropTexts() {
	it.Instruction, it.Query, it.Picks = "", "", nil
	for i := range it.Candidates {
		it.Candidates[i].Text = ""
	}
}

// person adds the picks of an annotator.
func (r *Rated) person(p *Picks) {
	rater := Rater{Name: p.Annotator, Human: true}
	for item, pick := range p.Chosen {
		rater.rate(item, r.Items[item].countedAs(pick))
	}
	r.Raters = append(r.Raters, rater)
}

// carried adds the picks that an item carries.
func (r *Rated) carried(item int) {
	for _, p := range r.Items[item].Picks {
		r.pick(item, p)
	}
}

// pick adds one pick of a judge. A pick of no candidate is a rating only if it has no failure: an
// answer that was refused or could not be read is not a rating.
func (r *Rated) pick(item int, p curate.Pick) {
	at := r.find(p.Judge)
	if at < 0 {
		at = len(r.Raters)
		r.Raters = append(r.Raters, Rater{Name: p.Judge, Human: p.Human, Lost: map[string]int{}})
	}
	rater := &r.Raters[at]
	if p.Candidate == curate.None && p.Why != "" && p.Why != curate.NoneFits {
		rater.Lost[p.Why]++
		return
	}
	rater.rate(item, r.Items[item].countedAs(p.Candidate))
}

// rate records the pick of an item; skipped items are Missing.
func (r *Rater) rate(item, pick int) {
	for len(r.Picks) <= item {
		r.Picks = append(r.Picks, Missing)
	}
	r.Picks[item] = pick
}

// further adds the judges' picks in a file of questions to the items that the file contains.
func (r *Rated) further(file string) error {
	place := map[string]int{}
	for i := range r.Items {
		place[r.Items[i].ID] = i
	}
	found := 0
	for it, err := range Questions(file) {
		if err != nil {
			return err
		}
		at, asked := place[it.ID]
		if !asked {
			continue
		}
		found++
		order, ok := r.Items[at].match(it)
		if !ok {
			return fmt.Errorf("%s:%d: question %s has other texts than on the sheet", file, it.line, it.ID)
		}
		for _, p := range it.reordered(order).Picks {
			if !r.has(at, p) {
				r.pick(at, p)
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("%s: has none of the %d questions of the sheet", file, len(r.Items))
	}
	return nil
}

// has reports whether an item already has a judge's pick.
func (r *Rated) has(item int, p curate.Pick) bool {
	return slices.ContainsFunc(r.Items[item].Picks, func(o curate.Pick) bool { return o.Judge == p.Judge })
}

// match returns the order that maps the candidates of an item to another version of its question.
func (it *Item) match(other *Item) (order []int, ok bool) {
	if it.Instruction != other.Instruction || it.Query != other.Query || len(it.Candidates) != len(other.Candidates) {
		return nil, false
	}
	for _, c := range it.Candidates {
		at := -1
		for i, o := range other.Candidates {
			if o == c && !slices.Contains(order, i) {
				at = i
				break
			}
		}
		if at < 0 {
			return nil, false
		}
		order = append(order, at)
	}
	return order, true
}

// complete gives every rater a pick for every item, puts people before judges, and rejects data
// without two raters.
func (r *Rated) complete() error {
	if len(r.Raters) < 2 {
		return fmt.Errorf("%s: agreement needs 2 raters, found %d", r.Source, len(r.Raters))
	}
	for i := range r.Raters {
		rater := &r.Raters[i]
		rater.Picks = append(rater.Picks, slices.Repeat([]int{Missing}, len(r.Items)-len(rater.Picks))...)
	}
	slices.SortStableFunc(r.Raters, func(a, b Rater) int {
		switch {
		case a.Human == b.Human:
			return 0
		case a.Human:
			return -1
		}
		return 1
	})
	return nil
}

// Position returns the label of a pick by the candidate's position: "1" is the first, "" means that
// there is no rating.
func (r *Rated) Position(item, rater int) string {
	return r.label(item, rater, func(at int) string { return strconv.Itoa(at + 1) })
}

// Role returns the label of a pick by the candidate's role in its record.
func (r *Rated) Role(item, rater int) string {
	return r.label(item, rater, func(at int) string { return string(r.Items[item].Candidates[at].Role) })
}

func (r *Rated) label(item, rater int, of func(at int) string) string {
	switch at := r.Raters[rater].Picks[item]; at {
	case Missing:
		return ""
	case curate.None:
		return NoneLabel
	default:
		return of(at)
	}
}

// Disagreed lists the items that raters answered differently.
func (r *Rated) Disagreed() []int {
	var out []int
	for i := range r.Items {
		if r.differ(i) {
			out = append(out, i)
		}
	}
	return out
}

// differ reports whether two raters picked differently.
func (r *Rated) differ(item int) bool {
	first := Missing
	for _, rater := range r.Raters {
		if item >= len(rater.Picks) || rater.Picks[item] == Missing {
			continue
		}
		if first != Missing && rater.Picks[item] != first {
			return true
		}
		first = rater.Picks[item]
	}
	return false
}

// Settled is the share of questions whose right candidate is at the most frequent position of right
// candidates. For shuffled candidates it is about 1 / number of candidates.
func (r *Rated) Settled() float64 {
	count := map[int]int{}
	most := 0
	for i := range r.Items {
		at := r.Items[i].Answer()
		count[at]++
		most = max(most, count[at])
	}
	return float64(most) / float64(max(1, len(r.Items)))
}
