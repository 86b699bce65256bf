package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/runners/rescore"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// queryAnswer is one query with all known data on it, as in json.
type queryAnswer struct {
	Run          string            `json:"run"`
	Query        string            `json:"query"`
	Text         string            `json:"text,omitempty"`
	Instructions map[string]string `json:"instructions,omitempty"` // by side; under "" without pairs
	Systems      []answeredSystem  `json:"systems"`
	Values       []queryValue      `json:"values"`
	Documents    []shownDocument   `json:"documents"`
	Thoughts     []shownThought    `json:"thoughts,omitempty"` // of language models, before their answers
	Lacking      []string          `json:"lacking,omitempty"`  // missing data, in sentences

	sides []querySide
	task  *datasets.Task // nil if the data are not on this machine
}

// answeredSystem is a system and the run whose ranks are shown.
type answeredSystem struct {
	Label string `json:"label"`
	Trial string `json:"trial,omitempty"` // the run whose ranks are shown; "" if no run kept a ranking
	Of    int    `json:"of"`              // training runs

	run      trec.Run
	thoughts []results.Thought
}

// shownThought is what a language model thought before an answer.
type shownThought struct {
	System    string   `json:"system"`
	Side      string   `json:"side,omitempty"`
	Documents []string `json:"documents"` // of the question, in their order
	Thoughts  string   `json:"thoughts"`
	Answer    string   `json:"answer"`
	Odds      *float64 `json:"log_odds,omitempty"` // of a judge
}

// queryValue holds the values of two systems by one measure.
type queryValue struct {
	Measure    string   `json:"measure"`
	Side       string   `json:"side,omitempty"`
	A          *float64 `json:"a"`
	B          *float64 `json:"b,omitempty"`
	Difference *float64 `json:"difference,omitempty"`
}

// shownDocument is a document that is judged or at the top of a ranking.
type shownDocument struct {
	ID     string           `json:"id"`
	Title  string           `json:"title,omitempty"`
	Text   string           `json:"text,omitempty"`
	Moved  bool             `json:"moved,omitempty"`  // the changed instruction alters its relevance
	Judged map[string]int   `json:"judged,omitempty"` // grade by side
	Ranks  []map[string]int `json:"ranks"`            // by system, then side; empty if it is not ranked

	known, top bool // its text is known; it is at the top of a ranking
}

// querySide is one variant of a query: the original, changed or reversed instruction of a
// pair, or the only one, "".
type querySide struct{ name, query string }

// answer collects the known data on a query. The documents are all judged and moved ones and
// the top documents of each ranking.
func (s *querySet) answer(q *queries.Query, p systemPair, top int) (*queryAnswer, error) {
	a := &queryAnswer{Run: s.exp.Name, Query: q.Name(), Text: q.Text}
	for _, at := range queries.Slots(s.Set, q) {
		r := queries.NewRow(q, at, p.a, p.b)
		a.Values = append(a.Values, queryValue{at.Measure, at.Side, r.A, r.B, r.Difference})
	}
	for _, system := range p.both() {
		if err := s.addSystem(a, q, system); err != nil {
			return nil, err
		}
	}
	if s.page != nil {
		a.Lacking = append(a.Lacking, fmt.Sprintf("full rankings, judgments and complete texts: %s carries only the ranks of documents whose relevance changes; %s has the rest", s.page.name, s.page.folder()))
	}
	if s.page != nil && q.Changed != "" {
		for _, side := range []metrics.Side{metrics.Original, metrics.Changed} {
			a.sides = append(a.sides, querySide{string(side), side.Query(q.ID)})
		}
	} else {
		a.findSides(q)
	}
	a.instruct(q)
	a.addThoughts()
	a.addDocuments(q, p, top)
	if s.page != nil {
		a.rankRecorded(q, p)
	}
	return a, a.addTexts(q)
}

// rankRecorded fills in the ranks that the records of a page have.
func (a *queryAnswer) rankRecorded(q *queries.Query, p systemPair) {
	for i, s := range p.both() {
		r := q.Records[s]
		if r == nil {
			continue
		}
		for _, kept := range r.Documents {
			at := slices.IndexFunc(a.Documents, func(d shownDocument) bool { return d.ID == kept.ID })
			a.Documents[at].Ranks[i][string(datasets.Original)] = kept.Before
			a.Documents[at].Ranks[i][string(datasets.Changed)] = kept.After
		}
	}
}

// addSystem reads the ranking of a system: from the run whose records the page shows, else
// from the first that kept one. The data come from the first system whose data are on this
// machine.
func (s *querySet) addSystem(a *queryAnswer, q *queries.Query, system *scores.System) error {
	said := answeredSystem{Label: system.Label, Of: len(system.Trials)}
	if s.page != nil {
		if shown := queries.Shown(system); shown != nil && q.Records[system] != nil {
			said.Trial = shown.ID
		} else {
			a.Lacking = append(a.Lacking, fmt.Sprintf("ranks and texts of %s: %s carries none of this query", system.Label, s.page.name))
		}
		a.Systems = append(a.Systems, said)
		return nil
	}
	trials := slices.Clone(system.Trials)
	if shown := queries.Shown(system); shown != nil {
		trials = slices.Insert(trials, 0, shown)
	}
	for _, t := range trials {
		benchmark, task, ok := s.rawNames(t, q)
		if !ok || !t.Finished() {
			continue
		}
		at, err := runs.FolderOf(s.exp, &t.Trial)
		if err != nil {
			return err
		}
		run, err := at.Reader().Run(benchmark, task)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("ranking of %s: %w", system.Label, err)
		}
		said.Trial, said.run = t.ID, run
		if said.thoughts, err = at.Reader().Thoughts(benchmark, task); err != nil {
			return fmt.Errorf("thoughts of %s: %w", system.Label, err)
		}
		if a.task == nil {
			found, lacking, err := rescore.Task(at, &t.Trial, benchmark, task)
			if err != nil {
				return err
			}
			a.task, a.Lacking = found.Shown(), words.CleanAll(lacking)
		}
		break
	}
	if said.Trial == "" {
		a.Lacking = append(a.Lacking, "ranks of "+system.Label+": no ranking was kept")
	}
	a.Systems = append(a.Systems, said)
	return nil
}

// addThoughts adds the thoughts about the query, by system and side.
func (a *queryAnswer) addThoughts() {
	for _, s := range a.Systems {
		for _, side := range a.sides {
			for _, t := range s.thoughts {
				if t.Query == side.query {
					a.Thoughts = append(a.Thoughts, shownThought{s.Label, side.name, words.CleanAll(t.Documents), words.Clean(t.Thoughts), words.Clean(t.Answer), t.Odds})
				}
			}
		}
	}
}

// rawNames are the names that a trial uses for the benchmark and task of a query.
func (s *querySet) rawNames(t *scores.Trial, q *queries.Query) (benchmark, task string, ok bool) {
	kept := slices.IndexFunc(s.exp.Trials, func(k results.Trial) bool { return words.Clean(k.ID) == t.ID })
	if kept < 0 {
		return "", "", false
	}
	for i := range s.exp.Trials[kept].Results {
		r := &s.exp.Trials[kept].Results[i]
		if shown := cmp.Or(t.Shown[r.Benchmark], words.Clean(r.Benchmark)); shown == q.Benchmark && words.Clean(r.Task) == q.Task {
			return r.Benchmark, r.Task, true
		}
	}
	return "", "", false
}

// findSides finds the sides of a query: from the data, else from the query IDs of the
// rankings.
func (a *queryAnswer) findSides(q *queries.Query) {
	if a.task != nil && len(a.task.Pairs) > 0 {
		i := slices.IndexFunc(a.task.Pairs, func(p datasets.Pair) bool { return p.ID == q.ID })
		if i >= 0 {
			p := a.task.Pairs[i]
			a.sides = []querySide{{string(datasets.Original), p.Original}, {string(datasets.Changed), p.Changed}}
			if p.Reversed != "" {
				a.sides = append(a.sides, querySide{string(datasets.Reversed), p.Reversed})
			}
			return
		}
	}
	for _, s := range a.Systems {
		if _, found := s.run[q.ID]; found {
			break
		}
		for _, side := range metrics.Sides() {
			if _, found := s.run[side.Query(q.ID)]; found {
				a.sides = words.AddNew(a.sides, querySide{string(side), side.Query(q.ID)})
			}
		}
	}
	if len(a.sides) == 0 {
		a.sides = []querySide{{"", q.ID}}
	}
}

// instruct fills in the instructions: complete from the data, else as far as records have
// them.
func (a *queryAnswer) instruct(q *queries.Query) {
	a.Instructions = map[string]string{}
	put := func(side, text string) {
		if text != "" {
			a.Instructions[side] = words.Clean(text)
		}
	}
	put(a.sides[0].name, q.Instruction)
	put(string(datasets.Changed), q.Changed)
	if a.task == nil {
		return
	}
	for i := range a.task.Queries {
		asked := &a.task.Queries[i]
		for _, s := range a.sides {
			if asked.ID == s.query {
				a.Text = cmp.Or(words.Clean(asked.Text), a.Text)
				put(s.name, asked.Instruction)
			}
		}
	}
}

// addDocuments lists documents in the order of interest: those whose relevance changes, the
// relevant ones, the tops of the rankings, the irrelevant ones; each group by best rank.
func (a *queryAnswer) addDocuments(q *queries.Query, p systemPair, top int) {
	l := &documentList{queryAnswer: a, at: map[string]int{}}
	for _, id := range a.moved(q, p) {
		l.add(id)
		a.Documents[l.at[id]].Moved = true
	}
	relevant, irrelevant := a.judged()
	l.addByRank(relevant)
	for _, s := range a.Systems {
		for _, side := range a.sides {
			ranking := s.run[side.query]
			for _, d := range ranking[:min(top, len(ranking))] {
				l.add(d.Doc)
				a.Documents[l.at[d.Doc]].top = true
			}
		}
	}
	l.addByRank(irrelevant)
	l.rank()
	a.addRecorded(q, p)
}

// moved lists the documents whose relevance the changed instruction alters, from the data,
// else from the records.
func (a *queryAnswer) moved(q *queries.Query, p systemPair) (ids []string) {
	if a.task != nil {
		for _, pair := range a.task.Pairs {
			if pair.ID == q.ID {
				return pair.Moved
			}
		}
	}
	for _, s := range p.both() {
		if r := q.Records[s]; r != nil {
			for _, d := range r.Documents {
				ids = words.AddNew(ids, d.ID)
			}
		}
	}
	return ids
}

// judged lists the judged documents: those relevant on some side, and the others.
func (a *queryAnswer) judged() (relevant, irrelevant []string) {
	if a.task == nil {
		return nil, nil
	}
	grades := map[string]int{}
	for _, s := range a.sides {
		for id, grade := range a.task.Qrels[s.query] {
			grades[id] = max(grade, grades[id])
		}
	}
	for _, id := range words.SortedKeys(grades) {
		if grades[id] > 0 {
			relevant = append(relevant, id)
		} else {
			irrelevant = append(irrelevant, id)
		}
	}
	return relevant, irrelevant
}

// documentList collects documents without repetition.
type documentList struct {
	*queryAnswer
	at     map[string]int              // ID -> index
	places []map[string]map[string]int // by system: side -> document -> rank
}

func (l *documentList) add(id string) {
	if _, known := l.at[id]; !known {
		l.at[id] = len(l.Documents)
		l.Documents = append(l.Documents, shownDocument{ID: id})
	}
}

// addByRank adds documents in the order of their best rank, unranked ones last.
func (l *documentList) addByRank(ids []string) {
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(l.bestRank(a), l.bestRank(b)) })
	for _, id := range ids {
		l.add(id)
	}
}

// ranks are the ranks of all documents in the rankings, from 1.
func (l *documentList) ranks() []map[string]map[string]int {
	if l.places == nil {
		for _, s := range l.Systems {
			bySide := map[string]map[string]int{}
			for _, side := range l.sides {
				bySide[side.name] = map[string]int{}
				for i, d := range s.run[side.query] {
					bySide[side.name][d.Doc] = i + 1
				}
			}
			l.places = append(l.places, bySide)
		}
	}
	return l.places
}

// unranked is greater than any rank.
const unranked = 1 << 30

func (l *documentList) bestRank(id string) int {
	best := unranked
	for _, bySide := range l.ranks() {
		for _, places := range bySide {
			if at, found := places[id]; found {
				best = min(best, at)
			}
		}
	}
	return best
}

// rank fills in ranks and grades.
func (l *documentList) rank() {
	for i := range l.Documents {
		d := &l.Documents[i]
		for _, bySide := range l.ranks() {
			of := map[string]int{}
			for name, places := range bySide {
				if at, found := places[d.ID]; found {
					of[name] = at
				}
			}
			d.Ranks = append(d.Ranks, of)
		}
		if l.task == nil {
			continue
		}
		for _, s := range l.sides {
			if grade, found := l.task.Qrels[s.query][d.ID]; found {
				if d.Judged == nil {
					d.Judged = map[string]int{}
				}
				d.Judged[s.name] = grade
			}
		}
	}
}

// addRecorded fills in the texts that records have; records may cut the end of a text.
func (a *queryAnswer) addRecorded(q *queries.Query, p systemPair) {
	for _, s := range p.both() {
		r := q.Records[s]
		if r == nil {
			continue
		}
		for _, kept := range r.Documents {
			for i := range a.Documents {
				if d := &a.Documents[i]; d.ID == kept.ID {
					d.Title, d.Text, d.known = words.Clean(kept.Title), words.Clean(kept.Text), true
				}
			}
		}
	}
}

// addTexts fills in complete texts in one pass over the documents of the task.
func (a *queryAnswer) addTexts(q *queries.Query) error {
	if a.task == nil || a.task.Corpus == nil {
		return nil
	}
	wanted := map[string]*shownDocument{}
	for i := range a.Documents {
		wanted[a.Documents[i].ID] = &a.Documents[i]
	}
	for doc, err := range a.task.Corpus.Documents() {
		if err != nil {
			return fmt.Errorf("documents of %s: %w", q.Test(), err)
		}
		if d := wanted[doc.ID]; d != nil {
			d.Title, d.Text, d.known = words.Clean(doc.Title), words.Clean(strings.TrimSpace(doc.Text)), true
		}
	}
	return nil
}
