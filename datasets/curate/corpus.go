package curate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/disk"
)

// Corpus describes a curated corpus to be made: its settings, author, judges and folder.
type Corpus struct {
	Dir         string
	Seed        uint64 // for poisons, distractors and the order of candidates
	Pairs       iter.Seq2[Record, error]
	Tests       iter.Seq2[datasets.OverlapText, error] // texts of the collections that must not be in training data; nil means none
	Poisons     []Poison                               // distributed over the records; if empty, the author changes any aspect, as in the paper (appendix H)
	Author      Author
	Judges      []Judge
	Active      bool   // a further judge is asked only if the earlier ones are unsure
	Keep        string // the deciding judge: a name, Majority, Unanimous or Last
	Distractors int
	Filters     Filters

	AtATime int              // concurrent questions
	Fatal   func(error) bool // reports errors after which no question can succeed; nil: all
	Notice  func(string)     // receives progress messages; nil: none
}

// Make makes every missing stage, and all stages after one that was made again. from is the first
// stage to make again, "" for none.
func (c *Corpus) Make(ctx context.Context, from Stage) (*Funnel, error) {
	if err := errors.Join(c.sweep(), c.forget(from)); err != nil {
		return nil, err
	}
	steps := map[Stage]func(context.Context, []Record) ([]Record, error){
		Seeds:        func(context.Context, []Record) ([]Record, error) { return c.seeds() },
		Instructions: c.instructions,
		Poisoned:     c.poisoned,
		Passages:     c.passages,
		Filtered:     func(_ context.Context, records []Record) ([]Record, error) { return c.filtered(records) },
	}
	made := map[Stage][]Record{}
	var records []Record
	for _, s := range Stages()[:len(Stages())-1] {
		out, err := c.stage(s, func() ([]Record, error) { return steps[s](ctx, standing(records)) })
		if err != nil {
			return nil, fmt.Errorf("stage %s: %w", s, err)
		}
		made[s], records = out, out
	}
	questions, err := c.judged(ctx, standing(records), standing(made[Seeds]))
	if err != nil {
		return nil, fmt.Errorf("stage %s: %w", Judged, err)
	}
	return c.release(made, questions)
}

// sweep removes the temporary files of a killed process.
func (c *Corpus) sweep() error {
	entries, err := disk.ReadDir(c.Dir)
	for _, e := range entries {
		if disk.IsTemporary(e.Name()) {
			err = errors.Join(err, disk.OS{}.Remove(filepath.Join(c.Dir, e.Name())))
		}
	}
	return err
}

// forget removes the files of a stage and of all later ones.
func (c *Corpus) forget(from Stage) error {
	i := slices.Index(Stages(), from)
	if i < 0 {
		return nil
	}
	return c.remove(Stages()[i:])
}

// remove removes the files of stages, the last first. It removes dependent files before those they
// depend on.
func (c *Corpus) remove(stages []Stage) error {
	names := []string{DoneFile}
	for _, s := range slices.Backward(stages) {
		names = append(names, s.File(), s.partial())
	}
	for _, name := range names {
		if err := (disk.OS{}).Remove(filepath.Join(c.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// stage reads the result of a stage. If there is none it makes the stage, and removes all files
// made from its former result.
func (c *Corpus) stage(s Stage, records func() ([]Record, error)) ([]Record, error) {
	made, err := ReadStage(c.Dir, s)
	if err != nil || made != nil {
		return made, errors.Join(err, c.removePartial(s))
	}
	if made, err = records(); err != nil {
		return nil, err
	}
	rest, why := len(standing(made)), reasons(made)
	if rest == 0 {
		err = fmt.Errorf("all %d records were dropped, mostly for: %s", len(made), why[0])
	}
	left := fmt.Sprintf("%d of %d records are left", rest, len(made))
	if len(why) > 0 {
		left += "; dropped: " + strings.Join(why, ", ")
	}
	return made, errors.Join(c.finish(s, left, func(path string) error { return writeLines(path, made) }), err)
}

// finish writes the file of a stage, after removing all files made from a former one. made describes
// the result in the notice.
func (c *Corpus) finish(s Stage, made string, write func(path string) error) error {
	c.notice(fmt.Sprintf("stage %s: %s", s, made))
	later := Stages()[slices.Index(Stages(), s)+1:]
	if err := c.remove(later); err != nil {
		return err
	}
	if err := write(filepath.Join(c.Dir, s.File())); err != nil {
		return err
	}
	return c.removePartial(s)
}

func (c *Corpus) removePartial(s Stage) error {
	err := disk.OS{}.Remove(filepath.Join(c.Dir, s.partial()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *Corpus) notice(text string) {
	if c.Notice != nil {
		c.Notice(text)
	}
}

func (c *Corpus) fatal(err error) bool { return c.Fatal == nil || c.Fatal(err) }

// random returns the random source for a purpose, such as the poison of a record.
func (c *Corpus) random(purpose, id string) *rand.Rand { return Random(c.Seed, purpose, id) }

// partResult is the answer of an author, or the reason why it is unusable.
type partResult struct {
	Reply
	Fell string `json:"fell,omitempty"`
}

// write asks the author for parts of every record. All parts of all records are independent of each
// other.
func (c *Corpus) write(ctx context.Context, s Stage, records []Record, parts ...Part) ([]Record, error) {
	j, err := openJournal(filepath.Join(c.Dir, s.partial()))
	if err != nil {
		return nil, err
	}
	var tasks []task[partResult]
	for i := range records {
		for _, part := range parts {
			if records[i].Fell == "" {
				tasks = append(tasks, c.writing(&records[i], part))
			}
		}
	}
	replies, err := askAll(ctx, j, tasks, c.AtATime, c.fatal)
	if err := errors.Join(err, j.close()); err != nil {
		return nil, err
	}
	next := 0
	for i := range records {
		if records[i].Fell != "" {
			continue
		}
		for _, part := range parts {
			records[i].take(part, replies[next], c.Author.Synthetic())
			next++
		}
	}
	return records, nil
}

// take adds an author's text to the record.
func (r *Record) take(part Part, s partResult, synthetic bool) {
	*r.text(part) = s.Text
	r.Lineage = append(r.Lineage, s.Step)
	r.Synthetic = r.Synthetic || synthetic
	if s.Fell != "" && r.Fell == "" {
		r.Fell = s.Fell + ": " + string(part)
	}
}

func (c *Corpus) writing(r *Record, part Part) task[partResult] {
	key := Hash(c.Author.Identity(), part, r.bare())
	return task[partResult]{key, func(ctx context.Context) (partResult, error) {
		reply, err := c.Author.Write(ctx, r, part)
		if fault, ok := errors.AsType[*Fault](err); ok {
			fault.Step.Fault = fault.Why
			return partResult{Reply{Step: fault.Step}, fault.Why}, nil
		}
		return partResult{Reply: reply}, err
	}}
}

// bare returns the record without the fields that do not influence texts.
func (r *Record) bare() Record {
	b := *r
	b.Lineage, b.Cut, b.Synthetic = nil, nil, false
	return b
}

// instructions assigns poisons and has an instruction written for each record that its poison can
// change.
func (c *Corpus) instructions(ctx context.Context, records []Record) ([]Record, error) {
	for i := range records {
		r := &records[i]
		if r.Poison = c.poison(r); r.Poison == "" && len(c.Poisons) > 0 {
			r.Fell = "no poison fits"
		}
	}
	return c.write(ctx, Instructions, records, Instruction)
}

// poison draws a poison that fits a record; "" if none fits, or if poisons are untyped.
func (c *Corpus) poison(r *Record) Poison {
	fits := slices.DeleteFunc(slices.Clone(c.Poisons), func(p Poison) bool { return !c.Author.Fits(r, p) })
	if len(fits) == 0 {
		return ""
	}
	return fits[c.random("poison", r.ID).IntN(len(fits))]
}

func (c *Corpus) poisoned(ctx context.Context, records []Record) ([]Record, error) {
	return c.write(ctx, Poisoned, records, NegativeInstruction, NegativeQuery)
}

func (c *Corpus) passages(ctx context.Context, records []Record) ([]Record, error) {
	return c.write(ctx, Passages, records, Passage1, Passage2)
}
