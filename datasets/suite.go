package datasets

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"infbench/datasets/choice"
	"infbench/datasets/format"
	"infbench/datasets/layout"
	"infbench/datasets/suites"
	"infbench/metrics/trec"
)

// suiteSources are the benchmarks that package suites describes.
func suiteSources() []Source {
	var all []Source
	for _, suite := range suites.All() {
		s := Source{
			Name: suite.Name, About: suite.About, Licence: suite.Licence, Citation: suite.Citation,
			Measures: suite.Measures, Protocol: suite.Protocol,
			open: func(root string, _ *Source, pick *choice.Tasks) ([]Task, error) { return openSuite(root, suite, pick) },
		}
		var filed []filedTask
		for _, p := range suite.Parts {
			if repo := (Repo{p.Repo, p.Revision}); !slices.Contains(s.Repos, repo) {
				s.Repos = append(s.Repos, repo)
			}
			filed = append(filed, filedBySplit(p.Task))
		}
		if suite.Layout == suites.WithAspects {
			s.filed = func() []filedTask { return filed }
		}
		all = append(all, s)
	}
	return all
}

// openSuite opens the chosen tasks of a suite.
func openSuite(root string, suite suites.Suite, pick *choice.Tasks) ([]Task, error) {
	var tasks []Task
	for _, part := range suite.Parts {
		if !pick.Wants(part.Task) {
			continue
		}
		r, err := openRepo(root, Repo{part.Repo, part.Revision})
		if err != nil {
			return nil, err
		}
		if part.Within != "" && pick.Names == nil && !r.has(suite.Layout, part) {
			pick.Absent(part.Task)
			continue
		}
		pick.Here(part.Task)
		task, err := r.openPart(suite.Layout, part)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", part.Task, err)
		}
		if part.Instruction != "" {
			task.instruct(part.Instruction)
		}
		for _, m := range suite.Measures {
			task.Scorings = append(task.Scorings, Scoring{Measure: m})
		}
		task.Private = suite.Private
		tasks = append(tasks, *task)
	}
	return tasks, nil
}

// has says whether a part of a repository was fetched.
func (r *repository) has(l suites.Layout, part suites.Part) bool {
	if l == suites.WithAspects {
		return slices.Contains(r.Splits("examples"), part.Within)
	}
	return slices.ContainsFunc(r.Subsets(), func(s layout.Subset) bool { return s.Name == part.Within })
}

// openPart reads one task.
func (r *repository) openPart(l suites.Layout, part suites.Part) (*Task, error) {
	if l == suites.WithAspects {
		return r.openBrightPro(part)
	}
	name := plainName
	if part.Within != "" {
		subsets := r.Subsets()
		i := slices.IndexFunc(subsets, func(s layout.Subset) bool { return s.Name == part.Within })
		if i < 0 {
			return nil, fmt.Errorf("%s: no subset %q: %w", r.Dir, part.Within, fs.ErrNotExist)
		}
		name = subsets[i].Config
	}
	return r.openMTEBTask(part.Task, r.mtebConfigs(name, cmp.Or(part.Split, "test")))
}

// openBrightPro reads a domain: BRIGHT's layout, and a table of aspects.
func (r *repository) openBrightPro(part suites.Part) (*Task, error) {
	task, err := r.openBrightTask(part.Within, false, "")
	if err != nil {
		return nil, err
	}
	task.Excluded = nil
	files, err := r.ExactFiles("aspects", part.Within)
	if err != nil {
		return nil, err
	}
	aspects, err := suites.ReadAspects(files, part.Within, task.Qrels)
	if err != nil {
		return nil, err
	}
	task.Aspects = aspects.Of
	if aspects.Foreign > 0 {
		task.note(fmt.Sprintf("%d gold documents belong to an aspect of another query, as in the authors' scripts", aspects.Foreign))
	}
	if aspects.Orphans > 0 {
		task.Warnings = append(task.Warnings, fmt.Sprintf("%d aspects are of queries without gold documents", aspects.Orphans))
	}
	return task, nil
}

// openFollowTable opens a set of FollowTable: BEIR's layout, with the bare queries that
// the others narrow in files of their own. Each instruction makes a pair with its bare
// query, which several share.
func openFollowTable(dir string) (*Benchmark, error) {
	b, err := OpenBEIR(dir)
	if err != nil {
		return nil, err
	}
	b.Source, b.Licence, b.Citation = "files of FollowTable", "none stated", suites.FollowTableCitation
	return b, b.Tasks[0].narrow(dir)
}

// narrow adds the bare queries to a task that has the narrowed ones.
func (t *Task) narrow(dir string) error {
	var files [3]string
	for i, name := range []string{"queries.jsonl", suites.FollowTableQueries, suites.FollowTableQrels} {
		var err error
		if files[i], err = format.Find(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	narrowed, err := suites.ReadNarrowed(files[0])
	if err != nil {
		return err
	}
	queries, err := readQueries(files[1:2])
	if err != nil {
		return err
	}
	judged, err := readJudgments(files[2:], t.Corpus.(*FileCorpus).Has)
	if err != nil {
		return err
	}
	bare := Task{}
	if err := bare.setJudged(queries, judged); err != nil {
		return err
	}
	for i := range t.Queries {
		q, n := &t.Queries[i], narrowed[t.Queries[i].ID]
		if bare.Qrels[n.Bare] == nil {
			return fmt.Errorf("query %q: no bare query %q with judgments in %s", q.ID, n.Bare, suites.FollowTableQueries)
		}
		q.Text, q.Instruction = n.Query, n.Instruction
		t.Pairs = append(t.Pairs, Pair{ID: q.ID, Original: n.Bare, Changed: q.ID, Moved: movedDocuments(bare.Qrels[n.Bare], t.Qrels[q.ID])})
	}
	t.Queries = append(bare.Queries, t.Queries...)
	maps.Copy(t.Qrels, bare.Qrels)
	t.Depth, t.Scorings = t.Corpus.Len(), []Scoring{{Measure: "IRS"}, {Measure: "nDCG@10", Side: Changed}}
	t.note(suites.FollowTableProtocol)
	return nil
}

// openExcluIR opens a folder of ExcluIR, whose documents and queries are known by their
// places: what a query asks for has grade 1, what it rules out 0.
func openExcluIR(dir string) (*Benchmark, error) {
	texts, queries, err := suites.ReadExcluIR(dir)
	if err != nil {
		return nil, fmt.Errorf("open ExcluIR: %w", err)
	}
	task := Task{Name: "test", Qrels: trec.Qrels{}, Notes: suites.ExcluIRProtocol}
	corpus := make(MemoryCorpus, len(texts))
	for i, text := range texts {
		corpus[i] = Document{ID: strconv.Itoa(i), Text: text}
	}
	for i, q := range queries {
		id := strconv.Itoa(i)
		task.Queries = append(task.Queries, Query{ID: id, Text: q.Text})
		task.Qrels[id] = map[string]int{strconv.Itoa(q.Positive): 1, strconv.Itoa(q.Negative): 0}
	}
	task.Corpus = corpus
	for _, m := range suites.ExcluIRMeasures() {
		task.Scorings = append(task.Scorings, Scoring{Measure: m})
	}
	return &Benchmark{Name: filepath.Base(filepath.Clean(dir)), Source: "files of ExcluIR", Licence: "none stated", Citation: suites.ExcluIRCitation, Tasks: []Task{task}}, nil
}
