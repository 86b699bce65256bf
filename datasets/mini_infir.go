package datasets

import "fmt"

// MiniInfIR generates the MiniRecords training records of a world.
func MiniInfIR(world uint64) []Triplet { return MiniInfIRSized(world, MiniRecords) }

// MiniInfIRSized generates the first records training records of a world.
func MiniInfIRSized(world uint64, records int) []Triplet {
	w := newMiniWorld(world)
	return w.records(MiniTraining, records, func(t *miniTeacher, _, topic, round int) Triplet { return t.record(topic, round) })
}

// records makes a training set with a name. Its topics are repeated, in another order each time. A
// smaller set is the beginning of a larger one.
func (w *miniWorld) records(name string, records int, write func(t *miniTeacher, i, topic, round int) Triplet) []Triplet {
	t := &miniTeacher{w.writer(name), w.topics}
	all := make([]Triplet, 0, max(records, 0))
	var order []int
	for i := range records {
		if i%len(w.topics) == 0 {
			order = t.r.Perm(len(w.topics))
		}
		record := write(t, i, order[i%len(w.topics)], i/len(w.topics))
		record.ID = fmt.Sprintf("%s-%05d", name, i+1)
		all = append(all, record)
	}
	return all
}
