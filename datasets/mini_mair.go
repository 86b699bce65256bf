package datasets

import (
	"fmt"
	"slices"
)

// miniSearch is a task of mini-mair. As in MAIR, tasks vary: each has its own corpus, sentences and
// kind of instruction. Its templates have its name.
type miniSearch struct {
	name   string
	domain string // a domain of MAIR, under which it is averaged
	notes  string
	copies int // documents for each pair of values of a topic's held-out facets
	// demands lists the marks that the queries on a topic ask for, one entry per query; none means
	// that there are no queries on the topic.
	demands func(miniWriter, *miniTopic) [][]miniTrait
}

func miniSearches() []miniSearch {
	return []miniSearch{
		{"passage-question", "Web", "Passages for a question, of the kind the instruction names, in any facet.", 2, demandHeld},
		{"argument-stance", "Web", "Arguments on a question with the stance that the instruction names.", 2, demandIn("stance")},
		{"archive-period-region", "Academic", "Archive records on a subject, of a period and a region.", 3, demandInBoth("period", "region")},
		{"entity-lookup", "Web", "Persons known for a subject, in the region the instruction names.", 2, demandIn("region")},
		{"title-abstract", "Academic", "Abstracts for a title, about the period the instruction names.", 2, demandIn("period")},
		{"product-search", "Web", "Kits on a subject for the buyers the instruction names.", 2, demandIn("audience")},
		{"howto-search", "Web", "How-to answers in the genre the instruction names.", 2, demandIn("genre")},
		{"plain-topic", "Web", "Texts on the subject of a post: the one task whose instruction asks for nothing else.", 1, demandNothing},
	}
}

// miniDistractors is the number of documents on each topic without queries in a task of mini-mair.
const miniDistractors = 3

// mair makes the tasks of mini-mair: rank the full corpus of the task.
func (w *miniWorld) mair() []Task {
	var tasks []Task
	for _, s := range miniSearches() {
		tasks = append(tasks, s.task(w))
	}
	return tasks
}

// writer returns the writer of the task in a world.
func (s miniSearch) writer(w *miniWorld) miniWriter { return w.writer("mini-mair " + s.name) }

// task makes the task in a world.
func (s miniSearch) task(w *miniWorld) Task {
	p := s.writer(w)
	demands := make([][][]miniTrait, len(w.topics))
	for i := range w.topics {
		demands[i] = s.demands(p, &w.topics[i])
	}
	docs, corpus := s.documents(p, w.topics, demands)
	t := Task{
		Name:     s.name,
		Corpus:   corpus,
		Qrels:    map[string]map[string]int{},
		Scorings: []Scoring{{"nDCG@10", None}},
		Groups:   []string{s.domain, s.name},
		Notes:    s.notes,
	}
	for i := range w.topics {
		for _, marks := range demands[i] {
			q := s.query(p, &w.topics[i], marks)
			q.ID = fmt.Sprintf("%s-%03d", s.name, len(t.Queries)+1)
			t.Queries = append(t.Queries, q)
			t.Qrels[q.ID] = map[string]int{}
			for j := range docs {
				if docs[j].topic == i && docs[j].showsAll(marks) {
					t.Qrels[q.ID][docs[j].ID] = 1
				}
			}
		}
	}
	return t
}

// documents writes the corpus of the task: on topics with queries, copies of each pair of values of
// the held-out facets, on the others a few at random.
func (s miniSearch) documents(p miniWriter, topics []miniTopic, demands [][][]miniTrait) ([]miniDocument, MemoryCorpus) {
	var docs []miniDocument
	add := func(topic, v0, v1 int) {
		t := &topics[topic]
		marks := [2]miniTrait{{t.held[0], v0}, {t.held[1], v1}}
		text := p.document(pick(p.r, p.templates[s.name+" document"]), miniTest, t.words(), marks)
		docs = append(docs, miniDocument{Document: Document{Text: text}, topic: topic, marks: marks})
	}
	for i := range topics {
		if len(demands[i]) == 0 {
			for range miniDistractors {
				add(i, p.r.IntN(miniValues), p.r.IntN(miniValues))
			}
			continue
		}
		for n := range miniValues * miniValues * s.copies {
			add(i, n%miniValues, n/miniValues%miniValues)
		}
	}
	return p.shelve(s.name, docs)
}

// query writes a query of the task on a topic, for documents that show all of the marks.
func (s miniSearch) query(p miniWriter, t *miniTopic, marks []miniTrait) Query {
	var asks []string
	n := p.r.IntN(miniAsks)
	for _, m := range marks {
		asks = append(asks, p.ask(miniTest, n, m.facet, p.valueWords(m, 2)))
	}
	return Query{
		Text:        p.query(s.name+" query", t, pick(p.r, t.testSets)),
		Instruction: instruction(pick(p.r, p.templates[s.name+" instruction"]), "", t.domain, asks...),
	}
}

// showsAll reports whether d shows every one of marks.
func (d *miniDocument) showsAll(marks []miniTrait) bool {
	return !slices.ContainsFunc(marks, func(m miniTrait) bool { return !d.shows(m.facet, m.value) })
}

// demandIn asks for each value of a facet, on the topics for which it is held out.
func demandIn(facet string) func(miniWriter, *miniTopic) [][]miniTrait {
	return func(p miniWriter, t *miniTopic) (all [][]miniTrait) {
		f := p.facet(facet)
		if !slices.Contains(t.held, f) {
			return nil
		}
		for v := range miniValues {
			all = append(all, []miniTrait{{f, v}})
		}
		return all
	}
}

// demandInBoth asks for each pair of values of two facets, on the topics for which both are held
// out.
func demandInBoth(facet, other string) func(miniWriter, *miniTopic) [][]miniTrait {
	return func(p miniWriter, t *miniTopic) (all [][]miniTrait) {
		for _, first := range demandIn(facet)(p, t) {
			for _, second := range demandIn(other)(p, t) {
				all = append(all, slices.Concat(first, second))
			}
		}
		return all
	}
}

// demandHeld asks for a random value of each facet held out for the topic.
func demandHeld(p miniWriter, t *miniTopic) (all [][]miniTrait) {
	for _, f := range t.held {
		all = append(all, []miniTrait{{f, p.r.IntN(miniValues)}})
	}
	return all
}

// demandNothing has two queries on each topic that ask for no value.
func demandNothing(miniWriter, *miniTopic) [][]miniTrait {
	return [][]miniTrait{nil, nil}
}
