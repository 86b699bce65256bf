package annotate

import "slices"

// Noise counts the wrong records of one type of poison among those that people rated.
type Noise struct {
	Type   string `json:"type"`   // AllTypes for all of them; "" where it is not recorded
	Passed bool   `json:"passed"` // only those that most judges answered right
	Right  int    `json:"right"`
	Wrong  int    `json:"wrong"`
	Unsure int    `json:"unsure"` // people were divided, or left a question of the record out
}

// AllTypes stands for records of every type.
const AllTypes = "all"

// Noise audits the sample: a question is wrong where more than half of the people who
// answered it picked another passage than the right one, or none; a record is wrong
// where one of its questions is, and right where all are right. It is nil without
// people. Records that judges passed are counted by themselves where there are judges.
func (r *Rated) Noise() []Noise {
	people, judges := r.votes(true), r.votes(false)
	if !voted(people) {
		return nil
	}
	records := map[string][]int{}
	var order, types []string
	for i := range r.Items {
		it := &r.Items[i]
		if records[it.Record] == nil {
			order = append(order, it.Record)
		}
		records[it.Record] = append(records[it.Record], i)
		if !slices.Contains(types, it.Type) {
			types = append(types, it.Type)
		}
	}
	slices.Sort(types)
	if len(types) == 1 && types[0] == "" {
		types = nil
	}
	var out []Noise
	for _, passed := range []bool{false, true} {
		if passed && !voted(judges) {
			break
		}
		for _, kind := range append([]string{AllTypes}, types...) {
			n := Noise{Type: kind, Passed: passed}
			for _, record := range order {
				items := records[record]
				if (kind == AllTypes || r.Items[items[0]].Type == kind) && (!passed || always(items, judges, right)) {
					n.add(items, people)
				}
			}
			out = append(out, n)
		}
	}
	return out
}

// add counts a record by its questions.
func (n *Noise) add(items []int, people []verdict) {
	switch {
	case slices.ContainsFunc(items, func(i int) bool { return people[i] == wrong }):
		n.Wrong++
	case always(items, people, right):
		n.Right++
	default:
		n.Unsure++
	}
}

// verdict is what most raters of a kind say of an item.
type verdict int

const (
	unsaid verdict = iota
	right
	wrong
	divided
)

// votes are the verdicts of people, or of judges, by item.
func (r *Rated) votes(human bool) []verdict {
	out := make([]verdict, len(r.Items))
	for i := range r.Items {
		good, bad := 0, 0
		for _, rater := range r.Raters {
			switch pick := rater.Picks[i]; {
			case rater.Human != human || pick == Missing:
			case pick == r.Items[i].Answer():
				good++
			default:
				bad++
			}
		}
		switch {
		case good > bad:
			out[i] = right
		case bad > good:
			out[i] = wrong
		case good > 0:
			out[i] = divided
		}
	}
	return out
}

func voted(v []verdict) bool {
	return slices.ContainsFunc(v, func(v verdict) bool { return v != unsaid })
}

func always(items []int, of []verdict, want verdict) bool {
	return !slices.ContainsFunc(items, func(i int) bool { return of[i] != want })
}
