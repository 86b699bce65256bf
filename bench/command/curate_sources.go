package command

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"infbench/datasets"
	"infbench/datasets/curate"
	"infbench/datasets/format"
	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/metrics/trec"
	"infbench/runners/catalog"
	"infbench/runners/contamination"
)

// check refuses an invalid source.
func (s *seedSpec) check() error {
	if s.From == "" {
		return errors.New("from: name a corpus, a collection, a file or a folder")
	}
	if s.Records < 0 {
		return fmt.Errorf("records: %d is negative", s.Records)
	}
	if err := catalog.CheckPublic(s.From); err != nil {
		return fmt.Errorf("from: %w", err)
	}
	if s.columns() && !format.IsTable(s.From) {
		return fmt.Errorf("from: %s is not a file, so its columns cannot be named", s.From)
	}
	if s.judged() {
		return nil
	}
	name, err := catalog.CheckData(s.From)
	if err == nil {
		s.From = name
	}
	return err
}

func (s *seedSpec) columns() bool { return s.ID != "" || s.Query != "" || s.Passage != "" }

// judged reports whether the pairs are those of a collection with judgments: a benchmark by
// name, or a folder in BEIR's layout.
func (s *seedSpec) judged() bool {
	if slices.Contains(datasets.Names(), s.From) || isImported(s.From) {
		return true
	}
	info, err := disk.Stat(s.From)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = catalog.LoadBenchmark(s.From, 1)
	return err == nil
}

// isImported reports whether data import registered a collection under a name.
func isImported(name string) bool {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return false
	}
	_, ok := lock.Folder(name)
	return ok
}

// pairs streams the pairs of all sources. IDs of sources after the first begin with the
// source's name, since two sources may share IDs.
func (f *corpusSpec) pairs() iter.Seq2[curate.Record, error] {
	return func(yield func(curate.Record, error) bool) {
		for i, s := range f.Seeds {
			n := 0
			for r, err := range s.open(f.World) {
				r.Kind, r.Source = s.Kind, s.From
				if i > 0 {
					r.ID = fmt.Sprintf("%d:%s", i+1, r.ID)
				}
				if !yield(r, err) || err != nil {
					return
				}
				if n++; n == s.Records {
					break
				}
			}
		}
	}
}

// open streams the pairs of a source.
func (s *seedSpec) open(world uint64) iter.Seq2[curate.Record, error] {
	switch {
	case s.From == datasets.MiniTraining:
		return tripletPairs(datasets.MiniInfIRSized(world, cmp.Or(s.Records, datasets.MiniRecords)))
	case s.columns():
		return s.table()
	case s.judged():
		return s.judgedPairs(world)
	}
	return s.training(world)
}

func seedPair(id, query, passage string) curate.Record {
	return curate.Record{ID: id, QueryPositive: query, Positive: passage}
}

func tripletPairs(all []datasets.Triplet) iter.Seq2[curate.Record, error] {
	return func(yield func(curate.Record, error) bool) {
		for _, t := range all {
			if !yield(seedPair(t.ID, t.QueryPositive, t.Positive), nil) {
				return
			}
		}
	}
}

// table reads the named columns of a file.
func (s *seedSpec) table() iter.Seq2[curate.Record, error] {
	return func(yield func(curate.Record, error) bool) {
		n := 0
		for row, err := range format.Rows([]string{s.From}, []format.Column{
			{Name: cmp.Or(s.ID, "id|_id"), Kind: format.ID, Optional: s.ID == ""}, {Name: cmp.Or(s.Query, "query")}, {Name: cmp.Or(s.Passage, "passage")}}) {
			if err != nil {
				yield(curate.Record{}, err)
				return
			}
			if !yield(seedPair(cmp.Or(row.Text(0), fmt.Sprint(n)), row.Text(1), row.Text(2)), nil) {
				return
			}
			n++
		}
	}
}

// training takes the positive pairs of training data.
func (s *seedSpec) training(world uint64) iter.Seq2[curate.Record, error] {
	return func(yield func(curate.Record, error) bool) {
		corpora, err := catalog.OpenData(s.From, world)
		if err != nil {
			yield(curate.Record{}, err)
			return
		}
		for _, c := range corpora {
			for r, err := range c.All {
				if err != nil {
					yield(curate.Record{}, err)
					return
				}
				if !yield(seedPair(r.ID, r.Rows[0].Query, r.Rows[0].Passage), nil) {
					return
				}
			}
		}
	}
}

// judgedPairs pairs each query of a collection with the first of its documents of the highest
// grade.
func (s *seedSpec) judgedPairs(world uint64) iter.Seq2[curate.Record, error] {
	return func(yield func(curate.Record, error) bool) {
		b, err := catalog.LoadBenchmark(s.From, world)
		if err == nil {
			err = b.CheckPublic()
		}
		if err != nil {
			yield(curate.Record{}, err)
			return
		}
		seen := map[string]bool{}
		for i := range b.Tasks {
			t := &b.Tasks[i]
			wanted := map[string]string{}
			for _, q := range t.Queries {
				if doc := bestJudged(t.Qrels, q.ID); doc != "" && !seen[q.Text] {
					wanted[q.ID] = doc
				}
			}
			texts, err := documentTexts(t.Corpus, slices.Collect(maps.Values(wanted)))
			if err != nil {
				yield(curate.Record{}, err)
				return
			}
			for _, q := range t.Queries {
				text := texts[wanted[q.ID]]
				if text == "" || seen[q.Text] {
					continue
				}
				seen[q.Text] = true
				if !yield(seedPair(t.Name+":"+q.ID, q.Text, text), nil) {
					return
				}
			}
		}
	}
}

// bestJudged returns a query's document with the highest grade, the first by name if several
// have it; "" if none is relevant.
func bestJudged(qrels trec.Qrels, query string) string {
	found, grade := "", 0
	for _, doc := range slices.Sorted(maps.Keys(qrels[query])) {
		if g := qrels[query][doc]; g > grade {
			found, grade = doc, g
		}
	}
	return found
}

// documentTexts reads the texts of some documents, by ID.
func documentTexts(corpus datasets.Corpus, ids []string) (map[string]string, error) {
	wanted, texts := map[string]bool{}, map[string]string{}
	for _, id := range ids {
		wanted[id] = true
	}
	for d, err := range corpus.Documents() {
		if err != nil {
			return nil, err
		}
		if wanted[d.ID] {
			texts[d.ID] = d.Full()
		}
	}
	return texts, nil
}

// tests streams the texts that must not be learnt; nil if the file names no collection.
func (f *corpusSpec) tests() (iter.Seq2[datasets.OverlapText, error], error) {
	if len(f.Decontam) == 0 {
		return nil, nil
	}
	var all []*datasets.Benchmark
	for _, name := range f.Decontam {
		b, err := catalog.LoadBenchmark(name, f.World)
		if err != nil {
			return nil, fmt.Errorf("decontaminate: %w", err)
		}
		all = append(all, b)
	}
	return contamination.Asked(all), nil
}

// resolve pins the revisions of the data.
func (f *corpusSpec) resolve() error {
	revisions := catalog.Revisions{}
	add := func(name string, of func() (string, error)) error {
		rev, err := of()
		f.Resolved = append(f.Resolved, revisionSpec{name, rev})
		return err
	}
	for _, s := range f.Seeds {
		err := add(s.From, func() (string, error) {
			if s.judged() {
				return revisions.Resolve(s.From, f.World)
			}
			return revisions.DataRevision(s.From, f.World)
		})
		if err != nil {
			return err
		}
	}
	for _, name := range f.Decontam {
		if err := add(name, func() (string, error) { return revisions.Resolve(name, f.World) }); err != nil {
			return fmt.Errorf("decontaminate: %w", err)
		}
	}
	for _, j := range f.Judges {
		if j.Rerank == "" {
			continue
		}
		if err := add(j.Rerank, func() (string, error) { return catalog.PairJudgeRevision(j.Rerank) }); err != nil {
			return fmt.Errorf("judges: %w", err)
		}
	}
	return nil
}
