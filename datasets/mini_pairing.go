package datasets

import "fmt"

// miniPairing is the common part of mini-followir and mini-negation: pairs of queries, and the
// documents that they rank.
type miniPairing struct {
	w         *miniWorld
	docs      []miniDocument
	corpus    MemoryCorpus
	contrasts []miniContrast
}

// pairs draws the pairs of the world.
func (w *miniWorld) pairs() *miniPairing {
	docs, corpus := w.contrastDocuments()
	return &miniPairing{w, docs, corpus, w.contrasts(docs)}
}

// contrastDocuments writes the corpus of mini-followir: for each topic 24 documents that show its
// two held-out facets, eight for each value of either.
func (w *miniWorld) contrastDocuments() ([]miniDocument, MemoryCorpus) {
	p := w.writer("mini-followir documents")
	var docs []miniDocument
	for i := range w.topics {
		t := &w.topics[i]
		for n := range miniValues * miniPerValue {
			first := n / miniPerValue
			marks := [2]miniTrait{{t.held[0], first}, {t.held[1], (n%miniPerValue + first) % miniValues}}
			text := p.document(pick(p.r, p.templates["document test"]), miniTest, t.words(), marks)
			docs = append(docs, miniDocument{Document: Document{Text: text}, topic: i, marks: marks})
		}
	}
	return p.shelve("followir", docs)
}

// contrasts draws MiniPairs pairs, one for each topic and facet held out for it.
func (w *miniWorld) contrasts(docs []miniDocument) []miniContrast {
	p := w.writer("mini-followir pairs")
	var all []miniContrast
	for i := range w.topics {
		t := &w.topics[i]
		for h, f := range t.held {
			values := p.r.Perm(miniValues)
			c := miniContrast{
				topic: i, facet: f, a: values[0], b: values[1],
				other: t.held[1-h], dropped: p.r.IntN(miniValues),
				query: p.query("query test", t, pick(p.r, t.testSets)),
			}
			c.candidates = c.drawCandidates(p.r, docs)
			all = append(all, c)
		}
	}
	return all
}

// tasks makes the tasks of a benchmark.
func (p *miniPairing) tasks(benchmark string, parts []miniSlice) []Task {
	var tasks []Task
	for _, s := range parts {
		writer := p.w.writer(benchmark + " " + s.name)
		t := Task{
			Name:       s.name,
			Corpus:     p.corpus,
			Qrels:      map[string]map[string]int{},
			Candidates: map[string][]string{},
			Scorings:   pairScorings(),
			Notes:      s.notes,
			Control:    s.control,
		}
		for i := range p.contrasts {
			t.addPair(fmt.Sprintf("%s-%03d", s.name, i+1), &p.contrasts[i], s.change(writer, s.name, i, &p.contrasts[i]), p.docs)
		}
		tasks = append(tasks, t)
	}
	return tasks
}
