package datasets

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/format"
	"infbench/metrics/trec"
)

// suiteSources returns the benchmarks of Suites.
func suiteSources() []Source {
	var all []Source
	for _, suite := range Suites() {
		s := Source{
			Name: suite.Name, About: suite.About, Licence: suite.Licence, Citation: suite.Citation,
			Measures: suite.Measures, Protocol: suite.Protocol, Elsewhere: suite.Elsewhere,
			open: func(root string, _ *Source, pick *taskChoice) ([]Task, error) { return openSuite(root, suite, pick) },
		}
		var filed []filedTask
		for _, p := range suite.Parts {
			if repo := (Repo{p.Repo, p.Revision}); repo.ID != "" && !slices.Contains(s.Repos, repo) {
				s.Repos = append(s.Repos, repo)
			}
			filed = append(filed, filedPart(p))
		}
		if suite.Layout == WithAspects || suite.Layout == InQueries {
			s.filed = func() []filedTask { return filed }
		}
		all = append(all, s)
	}
	return all
}

// filedPart returns a task of a suite whose files are recognized by their folder or their split.
func filedPart(p SuitePart) filedTask {
	if p.Folder == "" {
		return filedBySplit(p.Task)
	}
	return filedTask{[]string{p.Task}, func(file string) bool { return strings.HasPrefix(file, p.Folder+"/") }}
}

// openSuite opens the chosen tasks of a suite.
func openSuite(root string, suite Suite, pick *taskChoice) ([]Task, error) {
	if suite.Elsewhere != "" {
		return nil, fmt.Errorf("it is not on the hub: get it from %s, then infbench data import THAT_FOLDER --name %s", suite.Elsewhere, suite.Name)
	}
	var tasks []Task
	for _, part := range suite.Parts {
		if !pick.Wants(part.Task) {
			continue
		}
		r, err := openRepo(root, Repo{part.Repo, part.Revision})
		if err != nil {
			return nil, err
		}
		if part.Within != "" && !r.has(suite.Layout, part) {
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
		measures := suite.Measures
		if part.Measures != nil {
			measures = part.Measures
		}
		for _, m := range measures {
			task.Scorings = append(task.Scorings, Scoring{Measure: m})
		}
		if suite.DropSelf {
			if err := task.DropSelf(); err != nil {
				return nil, fmt.Errorf("task %s: %w", part.Task, err)
			}
		}
		task.Private = suite.Private
		tasks = append(tasks, *task)
	}
	return tasks, nil
}

// has reports whether a part of a repository was fetched.
func (r *Repository) has(l SuiteLayout, part SuitePart) bool {
	switch l {
	case WithAspects:
		return slices.Contains(r.Splits("examples"), part.Within)
	case InQueries:
		return slices.Contains(r.Splits(crumbQueries), part.Within)
	}
	return slices.ContainsFunc(r.Subsets(), func(s Subset) bool { return s.Name == part.Within })
}

// openPart reads one task.
func (r *Repository) openPart(l SuiteLayout, part SuitePart) (*Task, error) {
	switch l {
	case WithAspects:
		return r.openBrightPro(part)
	case InQueries:
		return r.openCrumb(part)
	}
	name := plainName
	if part.Within != "" {
		subsets := r.Subsets()
		i := slices.IndexFunc(subsets, func(s Subset) bool { return s.Name == part.Within })
		if i < 0 {
			return nil, fmt.Errorf("%s: no subset %q: %w", r.Dir, part.Within, fs.ErrNotExist)
		}
		name = subsets[i].Config
	}
	return r.openMTEBTask(part.Task, r.mtebConfigs(name, cmp.Or(part.Split, "test")))
}

// openBrightPro reads a domain: BRIGHT's layout, and a table of aspects.
func (r *Repository) openBrightPro(part SuitePart) (*Task, error) {
	task, err := r.openBrightTask(part.Within, false, "")
	if err != nil {
		return nil, err
	}
	task.Excluded = nil
	files, err := r.ExactFiles("aspects", part.Within)
	if err != nil {
		return nil, err
	}
	aspects, err := ReadAspects(files, part.Within, task.Qrels)
	if err != nil {
		return nil, err
	}
	task.Aspects = aspects.ByQuery
	if aspects.Foreign > 0 {
		task.note(fmt.Sprintf("%d gold documents belong to an aspect of another query, as in the authors' scripts", aspects.Foreign))
	}
	if aspects.Orphans > 0 {
		task.Warnings = append(task.Warnings, fmt.Sprintf("%d aspects are of queries without gold documents", aspects.Orphans))
	}
	return task, nil
}

// Configs of CRUMB.
const (
	crumbQueries  = "evaluation_queries"
	crumbPassages = "passage_corpus"
)

// openCrumb reads a task of CRUMB, whose judgments are in the rows of its queries.
func (r *Repository) openCrumb(part SuitePart) (*Task, error) {
	files, err := r.ExactFiles(crumbPassages, part.Within)
	if err != nil {
		return nil, err
	}
	docs, err := OpenCorpus(files)
	if err != nil {
		return nil, err
	}
	task, known := &Task{Name: part.Task, Corpus: docs, PassageMark: part.PassageMark}, docs.Has
	task.warnDocuments(docs)
	if task.PassageMark != "" {
		task.Depth = CrumbDepth
		wholes := map[string]bool{}
		for id := range docs.IDs() {
			whole, _, _ := strings.Cut(id, task.PassageMark)
			wholes[whole] = true
		}
		known = func(id string) bool { return wholes[id] }
	}
	if files, err = r.ExactFiles(crumbQueries, part.Within); err != nil {
		return nil, err
	}
	return task, task.readCrumbQueries(files, part.Judgments, known)
}

// readCrumbQueries reads queries with judgments in one of the columns.
func (t *Task) readCrumbQueries(files []string, column string, known func(string) bool) error {
	var queries queryList
	judgments := newJudgmentReader()
	cols := []format.Column{
		{Name: "query_id", Kind: format.ID}, {Name: "query_content"}, {Name: "instruction", Optional: true},
		{Name: column + ".id", Kind: format.ID, List: true}, {Name: column + ".label", Kind: format.Number, List: true},
	}
	for r, err := range format.Rows(files, cols) {
		if err == nil {
			err = queries.add(r.Pos, Query{ID: r.Text(0), Text: r.Text(1), Instruction: r.Text(2)})
		}
		if err != nil {
			return fmt.Errorf("queries: %w", err)
		}
		docs, grades := r.Texts(3), r.Numbers(4)
		if len(docs) != len(grades) {
			return r.Pos.Errorf("query %q: %s has %d ids and %d labels", r.Text(0), column, len(docs), len(grades))
		}
		for i, doc := range docs {
			if err := judgments.Add(r.Pos, r.Text(0), doc, int(grades[i]), known); err != nil {
				return fmt.Errorf("%s: %w", column, err)
			}
		}
	}
	return t.setJudged(&queries, judgments)
}

// Ranked returns a run of the task for scoring: without excluded documents and, if passages are
// ranked and documents judged, with documents ranked by their best passages.
func (t *Task) Ranked(run trec.Run) trec.Run {
	run = run.Without(t.Excluded)
	if t.PassageMark == "" {
		return run
	}
	return run.BestPassages(t.PassageMark)
}

// openFollowTable opens FollowTable, or one set of it: as released, or in BEIR's layout, with the
// bare queries that the others narrow in their own files. Each instruction forms a pair with its
// bare query, which several share.
func openFollowTable(dir string) (*Benchmark, error) {
	all := &Benchmark{Name: FolderName(dir)}
	for _, set := range FollowTableSets {
		if !IsFollowTable(filepath.Join(dir, set)) {
			continue
		}
		b, err := openFollowTable(filepath.Join(dir, set))
		if err != nil {
			return nil, err
		}
		b.Tasks[0].Name = set
		all.Tasks = append(all.Tasks, b.Tasks...)
	}
	if all.Tasks != nil {
		return all, nil
	}
	if IsReleasedFollowTable(dir) {
		set, err := ReadFollowTable(dir)
		return openCollected(dir, set), err
	}
	b, err := OpenBEIR(dir)
	if err != nil {
		return nil, err
	}
	return b, b.Tasks[0].narrow(dir)
}

// narrow adds the bare queries to a task that has the narrowed ones.
func (t *Task) narrow(dir string) error {
	var files [3]string
	for i, name := range []string{"queries.jsonl", FollowTableQueries, FollowTableQrels} {
		var err error
		if files[i], err = format.Find(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	narrowed, err := ReadNarrowed(files[0])
	if err != nil {
		return err
	}
	queries, err := readQueries(files[1:2])
	if err != nil {
		return err
	}
	judgments, err := readJudgments(files[2:], t.Corpus.(*FileCorpus).Has)
	if err != nil {
		return err
	}
	bare := Task{}
	if err := bare.setJudged(queries, judgments); err != nil {
		return err
	}
	for i := range t.Queries {
		q, n := &t.Queries[i], narrowed[t.Queries[i].ID]
		if bare.Qrels[n.Bare] == nil {
			return fmt.Errorf("query %q: no bare query %q with judgments in %s", q.ID, n.Bare, FollowTableQueries)
		}
		q.Text, q.Instruction = n.Query, n.Instruction
		t.Pairs = append(t.Pairs, Pair{ID: q.ID, Original: n.Bare, Changed: q.ID, Moved: movedDocuments(bare.Qrels[n.Bare], t.Qrels[q.ID])})
	}
	t.Queries, t.Warnings = append(bare.Queries, t.Queries...), append(t.Warnings, bare.Warnings...)
	maps.Copy(t.Qrels, bare.Qrels)
	t.Depth, t.Scorings = t.Corpus.Len(), []Scoring{{Measure: "IRS"}, {Measure: "nDCG@10", Side: Changed}}
	return nil
}

// openCollected makes a benchmark of collected tasks.
func openCollected(dir string, read ...Collected) *Benchmark {
	b := &Benchmark{Name: FolderName(dir)}
	for _, c := range read {
		task := Task{Name: c.Name, Corpus: c.Documents, Qrels: trec.Qrels{}, Depth: c.Depth}
		if c.Closed {
			task.Candidates = map[string][]string{}
		}
		for _, q := range c.Queries {
			task.Queries = append(task.Queries, Query{ID: q.ID, Text: q.Text, Instruction: cmp.Or(q.Instruction, c.Instruction)})
			task.Qrels[q.ID] = q.Grades
			if c.Closed {
				task.Candidates[q.ID] = slices.Sorted(maps.Keys(q.Grades))
			}
			if q.Rewords != "" {
				task.Pairs = append(task.Pairs, Pair{ID: q.Rewords, Original: q.Rewords, Changed: q.ID})
			} else if q.Narrows != "" {
				task.Pairs = append(task.Pairs, Pair{ID: q.ID, Original: q.Narrows, Changed: q.ID, Moved: movedDocuments(task.Qrels[q.Narrows], q.Grades)})
			}
		}
		task.Scorings = append(task.Scorings, c.Scorings...)
		b.Tasks = append(b.Tasks, task)
	}
	return b
}
