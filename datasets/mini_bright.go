package datasets

import (
	"fmt"
)

// Documents on each topic of mini-bright.
const (
	miniAnswers = 6 // in technical words: the answers to a post
	miniEchoes  = 3 // in the lay words of posts
)

// bright makes the tasks of mini-bright, one per domain: posts in lay words that documents in
// technical words answer. A post shares no content word with its answers. The corpus, the same for
// all tasks, also has documents in lay words; those on the topic of a post repeat it and are
// excluded, as BRIGHT excludes the sources that a problem was taken from.
func (w *miniWorld) bright() []Task {
	p := w.writer("mini-bright")
	docs, corpus := w.brightDocuments(p)
	var tasks []Task
	for _, d := range w.domains {
		t := Task{
			Name:     d.name,
			Corpus:   corpus,
			Qrels:    map[string]map[string]int{},
			Excluded: map[string][]string{},
			Scorings: []Scoring{{"nDCG@10", None}},
			Defeats:  []string{"bm25", "untrained"}, // models that match words
			Notes:    "Posts in lay words, answers in technical words: no content word is shared. Documents that repeat the words of a post are excluded.",
		}
		for i := range w.topics {
			topic := &w.topics[i]
			if topic.domain != d.name {
				continue
			}
			for _, set := range topic.laySets {
				t.addPost(i, Query{
					Text:        p.query("bright query", topic, set),
					Instruction: instruction(pick(p.r, w.templates["bright instruction"]), "", topic.domain),
				}, docs)
			}
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// brightDocuments writes the corpus of mini-bright.
func (w *miniWorld) brightDocuments(p miniWriter) ([]miniDocument, MemoryCorpus) {
	var docs []miniDocument
	for i := range w.topics {
		t := &w.topics[i]
		for n := range miniAnswers + miniEchoes {
			echo, words := n >= miniAnswers, t.technical
			if echo {
				words = t.lay
			}
			marks := [2]miniTrait{{t.held[0], p.r.IntN(miniValues)}, {t.held[1], p.r.IntN(miniValues)}}
			text := p.document(pick(p.r, w.templates["bright document"]), miniTest, words, marks)
			docs = append(docs, miniDocument{Document: Document{Text: text}, topic: i, marks: marks, echo: echo})
		}
	}
	return p.shelve("bright", docs)
}

// addPost adds a query on a topic: answers on the topic are relevant, echoes are excluded.
func (t *Task) addPost(topic int, q Query, docs []miniDocument) {
	q.ID = fmt.Sprintf("%s-%03d", t.Name, len(t.Queries)+1)
	t.Queries = append(t.Queries, q)
	t.Qrels[q.ID] = map[string]int{}
	for i := range docs {
		switch d := &docs[i]; {
		case d.topic != topic:
		case d.echo:
			t.Excluded[q.ID] = append(t.Excluded[q.ID], d.ID)
		default:
			t.Qrels[q.ID][d.ID] = 1
		}
	}
}
