package datasets

import (
	"fmt"
	"math/rand/v2"
)

// miniAnswers is how many documents answer a post of mini-bright.
const miniAnswers = 6

// miniPost is a query of mini-bright, on a topic.
type miniPost struct {
	Query
	topic int
}

// bright makes the tasks of mini-bright, one a domain: posts in lay words, which
// documents in technical words answer. A post shares no content word with its
// answers. The corpus, one for all tasks, also holds the posts themselves, as
// dumps of forums do; those on the topic of a query are excluded for it.
func (w *miniWorld) bright() []Task {
	r := w.random("mini-bright")
	posts := w.posts(r)
	docs, corpus := w.answers(r, posts)
	var tasks []Task
	for _, d := range w.domains {
		t := Task{
			Name:     d.name,
			Corpus:   corpus,
			Qrels:    map[string]map[string]int{},
			Excluded: map[string][]string{},
			Scorings: []Scoring{{"nDCG@10", None}},
			Notes:    "Posts in lay words, answers in technical words: no content word is shared. Posts on the same topic are excluded.",
		}
		for _, p := range posts {
			if w.topics[p.topic].domain == d.name {
				t.addPost(p, docs)
			}
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// posts writes a post for every set of three lay words of a topic.
func (w *miniWorld) posts(r *rand.Rand) []miniPost {
	var posts []miniPost
	for i := range w.topics {
		t := &w.topics[i]
		for _, set := range t.laySets {
			posts = append(posts, miniPost{topic: i, Query: Query{
				Text:        w.query(r, "bright query", t, set),
				Instruction: instruction(pick(r, w.templates["bright instruction"]), "", t.domain),
			}})
		}
	}
	return posts
}

// answers writes the corpus: answers on every topic, and the posts.
func (w *miniWorld) answers(r *rand.Rand, posts []miniPost) ([]miniDocument, MemoryCorpus) {
	var docs []miniDocument
	for i := range w.topics {
		t := &w.topics[i]
		for range miniAnswers {
			marks := [2]miniMark{{t.held[0], r.IntN(miniValues)}, {t.held[1], r.IntN(miniValues)}}
			text := w.document(r, pick(r, w.templates["bright document"]), miniTest, t.technical, marks)
			docs = append(docs, miniDocument{Document: Document{Text: text}, topic: i, marks: marks})
		}
	}
	for _, p := range posts {
		docs = append(docs, miniDocument{Document: Document{Text: p.Text}, topic: p.topic, post: true})
	}
	return shelve(r, "bright", docs)
}

// addPost adds a post as a query: answers on its topic are relevant, posts on
// its topic excluded.
func (t *Task) addPost(p miniPost, docs []miniDocument) {
	p.ID = fmt.Sprintf("%s-%03d", t.Name, len(t.Queries)+1)
	t.Queries = append(t.Queries, p.Query)
	t.Qrels[p.ID] = map[string]int{}
	for i := range docs {
		switch d := &docs[i]; {
		case d.topic != p.topic:
		case d.post:
			t.Excluded[p.ID] = append(t.Excluded[p.ID], d.ID)
		default:
			t.Qrels[p.ID][d.ID] = 1
		}
	}
}
