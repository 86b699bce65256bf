// Package contamination counts how much of a run's benchmarks is in its training data, so that
// a report need not say "not checked". Package datasets compares the texts (OverlapCorpus).
package contamination

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"reflect"
	"slices"

	"infbench/datasets"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// Limits of automatic counting, in bytes of text. A training set takes about three bytes of
// memory for each byte, and a benchmark a minute for a GiB. FollowIR with InF-IR is within the
// limits; infbench data overlap has none.
const (
	trainAtMost = 128 << 20
	testAtMost  = 1 << 30
)

// errTooLarge is the error for texts beyond the limits of automatic counting.
var errTooLarge = errors.New("more text than is counted automatically")

// Count compares a training set with a benchmark by runs of words.
func Count(train, test string, world uint64, words int) (runs.Overlap, error) {
	corpus, err := learn(train, world, words, 0)
	if err != nil {
		return runs.Overlap{}, err
	}
	b, err := catalog.LoadBenchmark(test, world)
	if err != nil {
		return runs.Overlap{}, err
	}
	name, err := catalog.Revisions{}.DataLabel(train, world)
	if err != nil {
		return runs.Overlap{}, err
	}
	counts, err := corpus.Count(testTexts(b))
	return runs.Overlap{Train: train, Label: name, Test: b.Name, Words: words, Counts: counts}, err
}

// InTests returns a function that reports whether a text shares a run of words with a query, an
// instruction or a document of some benchmarks. A document counts with and without its title.
func InTests(tests []*datasets.Benchmark, words int) (func(text string) bool, error) {
	corpus, err := datasets.LearnOverlap(func(yield func(datasets.OverlapText, error) bool) {
		for _, b := range tests {
			for text, err := range testTexts(b) {
				if !yield(text, err) || err != nil {
					return
				}
			}
			for _, t := range b.Tasks {
				for d, err := range t.Corpus.Documents() {
					if !yield(datasets.OverlapText{Text: d.Full()}, err) || err != nil {
						return
					}
				}
			}
		}
	}, words)
	if err != nil {
		return nil, err
	}
	return corpus.Has, nil
}

// learn reads a training set, up to that many bytes of text; 0: all of it.
func learn(train string, world uint64, words int, atMost int64) (*datasets.OverlapCorpus, error) {
	corpora, err := catalog.OpenData(train, world)
	if err != nil {
		return nil, err
	}
	return datasets.LearnOverlap(bounded(trainingTexts(corpora), atMost), words)
}

// bounded ends with errTooLarge after that many bytes of text; 0: never.
func bounded(texts iter.Seq2[datasets.OverlapText, error], atMost int64) iter.Seq2[datasets.OverlapText, error] {
	return func(yield func(datasets.OverlapText, error) bool) {
		seen := int64(0)
		for t, err := range texts {
			if seen += int64(len(t.Text)); err == nil && atMost > 0 && seen > atMost {
				err = errTooLarge
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// OfRun counts the overlaps that a run folder does not have yet, for data that are available at
// the revisions of its plan, and stores them there. It calls notice with the reason if overlaps
// were not counted.
func OfRun(folder runs.Folder, notice func(text string)) error {
	kept, missing, err := missing(folder)
	if err != nil || len(missing) == 0 {
		return err
	}
	found, unread := countAll(missing, trainAtMost, testAtMost, notice)
	if len(found) == 0 {
		return unread
	}
	return errors.Join(unread, folder.Overlaps().Write(overlapsOf(append(kept, found...))))
}

// Recount is the result of counting the overlaps of a run folder again.
type Recount struct {
	Shown     []results.Overlap // for reports: those counted again, or else those stored in the folder
	Differ    []string          // stored counts that differ from the new ones
	Unchecked []string          // pairs that were not counted, and why
}

// Again counts the stored overlaps of a run folder, and those of generated data, again if the
// data are available.
func Again(folder runs.Folder) (Recount, error) {
	kept, missing, err := missing(folder)
	if err != nil {
		return Recount{}, err
	}
	pairs := slices.DeleteFunc(missing, func(p runs.Pair) bool { return !catalog.IsGenerated(p.Train) })
	for _, c := range kept {
		pairs = append(pairs, c.pair)
	}
	var r Recount
	now, err := countAll(pairs, trainAtMost, testAtMost, func(text string) { r.Unchecked = append(r.Unchecked, "Contamination: "+text) })
	if err != nil {
		return Recount{}, err
	}
	for _, c := range kept {
		i := slices.IndexFunc(now, func(n counted) bool { return n.pair == c.pair })
		if i < 0 {
			now = append(now, c)
		} else if !reflect.DeepEqual(now[i].overlap, c.overlap) {
			r.Differ = append(r.Differ, fmt.Sprintf("Contamination: %s has other counts of %s in %s than are in the data", folder.Dir, c.pair.Test, c.pair.Train))
		}
	}
	for _, o := range overlapsOf(now) {
		r.Shown = append(r.Shown, o.Shown()...)
	}
	return r, nil
}

// Shown returns the overlaps for a report of experiments: those that data overlap counted,
// those stored in run folders, and those of generated data, which are counted now without
// reading.
func Shown(exps []*results.Experiment) ([]results.Overlap, error) {
	var out []results.Overlap
	for _, e := range exps {
		if e.Dir == "" {
			continue // from an HTML report
		}
		kept, missing, err := missing(runs.At(e.Dir))
		if err != nil {
			return nil, err
		}
		generated := slices.DeleteFunc(missing, func(p runs.Pair) bool { return !catalog.IsGenerated(p.Train) })
		found, err := countAll(generated, trainAtMost, testAtMost, func(string) {})
		if err != nil {
			return nil, err
		}
		for _, o := range overlapsOf(append(kept, found...)) {
			out = append(out, o.Shown()...)
		}
	}
	others, err := runs.ReadOverlaps()
	return append(out, others...), err
}

// counted is an overlap with its pair of a plan.
type counted struct {
	pair    runs.Pair
	overlap runs.Overlap
}

func overlapsOf(all []counted) []runs.Overlap {
	out := make([]runs.Overlap, len(all))
	for i, c := range all {
		out[i] = c.overlap
	}
	return out
}

// missing returns the stored overlaps of a run folder that belong to its present data, and the
// pairs without any.
func missing(folder runs.Folder) (kept []counted, missing []runs.Pair, err error) {
	pairs, err := folder.Reader().Pairs()
	if err != nil {
		return nil, nil, err
	}
	all, err := folder.Overlaps().Read()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range pairs {
		i := slices.IndexFunc(all, func(o runs.Overlap) bool {
			return runs.Pair{Train: o.Train, Label: p.Label, TrainRevision: o.TrainRevision, Test: o.Test, TestRevision: o.TestRevision, World: o.World} == p
		})
		if i < 0 {
			missing = append(missing, p)
		} else {
			kept = append(kept, counted{p, all[i]})
		}
	}
	return kept, missing, nil
}

// countAll compares pairs and reads each training set once. It calls notice for pairs that are
// not counted. A disk error is returned, since a later attempt may succeed.
func countAll(pairs []runs.Pair, trainAtMost, testAtMost int64, notice func(text string)) (out []counted, unread error) {
	type trained struct {
		corpus *datasets.OverlapCorpus
		err    error
	}
	learnt := map[runs.Pair]trained{}
	revisions := catalog.Revisions{}
	for _, p := range pairs {
		key := runs.Pair{Train: p.Train, World: p.World}
		t, ok := learnt[key]
		if !ok {
			t.corpus, t.err = inTrain(revisions, p, trainAtMost)
			learnt[key] = t
		}
		counts, err := []datasets.OverlapCount(nil), t.err
		if err == nil {
			counts, err = inTest(t.corpus, revisions, p, testAtMost)
		}
		if err != nil {
			notice(fmt.Sprintf("how much of %s is in %s was not counted: %v", p.Test, p.Train, err))
			if broken, ok := errors.AsType[*fs.PathError](err); ok && !errors.Is(broken, fs.ErrNotExist) {
				unread = errors.Join(unread, err)
			}
			continue
		}
		out = append(out, counted{p, runs.Overlap{Train: p.Train, Label: label(p), TrainRevision: p.TrainRevision, World: p.World, Test: p.Test, TestRevision: p.TestRevision, Words: datasets.OverlapWords, Counts: counts}})
	}
	return out, unread
}

// inTrain reads a training set.
func inTrain(revisions catalog.Revisions, p runs.Pair, atMost int64) (*datasets.OverlapCorpus, error) {
	now, err := revisions.DataRevision(p.Train, p.World)
	if err := at(p.Train, now, p.TrainRevision, err); err != nil {
		return nil, err
	}
	return learn(p.Train, p.World, datasets.OverlapWords, atMost)
}

// inTest counts the overlaps of a benchmark with a corpus.
func inTest(corpus *datasets.OverlapCorpus, revisions catalog.Revisions, p runs.Pair, atMost int64) ([]datasets.OverlapCount, error) {
	now, err := revisions.Resolve(p.Test, p.World)
	if err := at(p.Test, now, p.TestRevision, err); err != nil {
		return nil, err
	}
	name, tasks := spec.TasksOf(p.Test)
	b, err := catalog.LoadBenchmark(name, p.World, tasks...)
	if err != nil {
		return nil, err
	}
	return corpus.Count(bounded(testTexts(b), atMost))
}

// at returns an error if data have changed since a plan was made.
func at(name, now, want string, err error) error {
	if err == nil && now != want {
		err = fmt.Errorf("%s is at revision %s, but the plan was made with %s", name, now, want)
	}
	return err
}

// label returns the label of the training data, or "" if it equals their text.
func label(p runs.Pair) string {
	if p.Label == p.Train {
		return ""
	}
	return p.Label
}

// trainingTexts streams every text of training data once.
func trainingTexts(corpora []catalog.Corpus) iter.Seq2[datasets.OverlapText, error] {
	return func(yield func(datasets.OverlapText, error) bool) {
		for _, c := range corpora {
			for r, err := range c.All {
				if err != nil {
					yield(datasets.OverlapText{}, err)
					return
				}
				for _, text := range r.Texts() {
					if !yield(datasets.OverlapText{ID: r.ID, Text: text}, nil) {
						return
					}
				}
			}
		}
	}
}

// testTexts streams the queries, instructions and documents of every task.
func testTexts(b *datasets.Benchmark) iter.Seq2[datasets.OverlapText, error] {
	return func(yield func(datasets.OverlapText, error) bool) {
		for _, t := range b.Tasks {
			for _, q := range t.Queries {
				if !yield(datasets.OverlapText{Group: t.Name + " queries", ID: q.ID, Text: q.Text}, nil) {
					return
				}
				if q.Instruction != "" && !yield(datasets.OverlapText{Group: t.Name + " instructions", ID: q.ID, Text: q.Instruction}, nil) {
					return
				}
			}
			for d, err := range t.Corpus.Documents() {
				if !yield(datasets.OverlapText{Group: t.Name + " documents", ID: d.ID, Text: d.Text}, err) || err != nil {
					return
				}
			}
		}
	}
}
