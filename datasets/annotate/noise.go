package annotate

import "slices"

// Noise counts the wrong records of one poison type among those rated by people.
type Noise struct {
	Type   string `json:"type"`   // poison type, or AllTypes; "" where it is not recorded
	Passed bool   `json:"passed"` // counts only records that most judges answered right
	Right  int    `json:"right"`
	Wrong  int    `json:"wrong"`
	Unsure int    `json:"unsure"` // people disagreed, or left out a question of the record
}

// AllTypes is the Type of a Noise over records of every type.
const AllTypes = "all"

// Noise audits the sample. A question is wrong if more than half of the people who answered it
// picked another passage than the right one, or none. A record is wrong if one of its questions is,
// and right if all are right. The result is nil without people. Records that judges passed are also
// counted separately if there are judges.
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

// verdict is the majority answer of the people, or of the judges, to an item.
type verdict int

const (
	unsaid verdict = iota
	right
	wrong
	divided
)

// votes returns the verdicts of people, or of judges, by item.
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
