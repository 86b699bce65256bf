package annotate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"infbench/datasets/curate"
)

// Missing is the pick of an item that a rater did not rate.
const Missing = -2

// Rated is what people and judges picked of some items.
type Rated struct {
	Source string // base name of the file that the items are from
	Items  []Item
	Raters []Rater // people first
}

// Rater is a person or a judge.
type Rater struct {
	Name  string
	Human bool
	Picks []int          // by item: the position of a candidate, curate.None or Missing
	Lost  map[string]int // answers that are no rating, by why
}

// Read joins what a key or a file of questions holds with the picks of files: what
// annotators saved, and files of questions with picks of further judges. Without
// annotators the judges rate alone.
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
	from := map[string]string{} // whose picks are in which file
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
	return r, r.whole()
}

// annotator adds what an annotator saved; from has the files of those before.
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

// find is the index of a rater, -1 where nobody has that name.
func (r *Rated) find(name string) int {
	return slices.IndexFunc(r.Raters, func(o Rater) bool { return o.Name == name })
}

// judged reads all questions of a file as the judges saw them. It holds the texts of those
// only that judges answered differently: a corpus may have a hundred thousand.
func judged(file string, files []string) (*Rated, error) {
	if len(files) > 0 {
		return nil, fmt.Errorf("%s is no key: picks of annotators are read by the key of their sheet", file)
	}
	r := &Rated{Source: filepath.Base(file)}
	for it, err := range Questions(file) {
		if err != nil {
			return nil, err
		}
		r.Items = append(r.Items, *it)
		i := len(r.Items) - 1
		if r.carried(i); !r.differ(i) {
			r.Items[i].silence()
		}
	}
	if len(r.Items) == 0 {
		return nil, fmt.Errorf("%s: no question", file)
	}
	recordTypes(file, r.Items)
	return r, r.whole()
}

// silence drops the texts of an item, and what its judges picked, once that is taken.
func (it *Item) silence() {
	it.Instruction, it.Query, it.Picks = "", "", nil
	for i := range it.Candidates {
		it.Candidates[i].Text = ""
	}
}

// person adds what an annotator picked.
func (r *Rated) person(p *Picks) {
	rater := Rater{Name: p.Annotator, Human: true}
	for item, pick := range p.Chosen {
		rater.rate(item, r.Items[item].as(pick))
	}
	r.Raters = append(r.Raters, rater)
}

// carried adds the picks that an item carries.
func (r *Rated) carried(item int) {
	for _, p := range r.Items[item].Picks {
		r.pick(item, p)
	}
}

// pick adds one pick of a judge. Where it chose no candidate, that is a rating only if
// it says nothing else: an answer that was refused or could not be read is none.
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
	rater.rate(item, r.Items[item].as(p.Candidate))
}

// rate notes the pick of an item; those between are missing.
func (r *Rater) rate(item, pick int) {
	for len(r.Picks) <= item {
		r.Picks = append(r.Picks, Missing)
	}
	r.Picks[item] = pick
}

// further adds the picks of judges in a file of questions to the items that are in it.
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
		return fmt.Errorf("%s: none of the %d questions of the sheet", file, len(r.Items))
	}
	return nil
}

// has says whether an item carries a judge's pick already.
func (r *Rated) has(item int, p curate.Pick) bool {
	return slices.ContainsFunc(r.Items[item].Picks, func(o curate.Pick) bool { return o.Judge == p.Judge })
}

// match is where the candidates of an item stand in another form of its question.
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

// whole makes every rater one of all items, puts people before judges, and refuses what is no study.
func (r *Rated) whole() error {
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

// Position is the label of a pick by where the candidate stands: "1" is the first; "" is
// no rating.
func (r *Rated) Position(item, rater int) string {
	return r.label(item, rater, func(at int) string { return strconv.Itoa(at + 1) })
}

// Role is the label of a pick by what the candidate is to its record.
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

// differ says whether two raters picked differently.
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

// Settled is the share of questions whose right candidate stands where it stands most
// often: about one over the number of candidates where they were shuffled.
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
