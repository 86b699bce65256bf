package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/provenance"
	"infbench/runners/results"
)

// lookAgain is how long shards that other processes rank are left alone.
const lookAgain = time.Second

// Prepare is like Rank, for a folder that a user named. Before any ranking it returns an error
// if the folder contains anything else or the model has nothing to divide.
func (s *ShardSet) Prepare(ctx context.Context, at results.Folder, evaluation *results.Trial, b *datasets.Benchmark, depth int, tell func(string)) (ready bool, err error) {
	if s == nil {
		return true, nil
	}
	if len(s.finders) == 0 {
		return false, usage.Errorf("--shards %d: the model ranks the candidates that are listed, or a saved run: there is no search of a corpus to divide", s.Of)
	}
	taken, err := at.Journal().Taken(evaluation)
	if taken != "" {
		err = usage.Errorf("output folder %s %s; name another with --out", at.Dir, taken)
	}
	if err != nil {
		return false, err
	}
	return s.Rank(ctx, at, evaluation, []*datasets.Benchmark{b}, depth, tell)
}

// Rank ranks the missing shards of an evaluation in its folder, or only the requested one. It
// reports whether all shards are there to be joined, or were joined before. evaluation
// describes the evaluation, and depth is the largest number of documents in any requested
// ranking; tell receives progress messages. Several processes may rank one set: each shard is
// ranked by one of them, and the shards of a killed process are ranked again. Rank returns an
// error that names a shard with different inputs.
func (s *ShardSet) Rank(ctx context.Context, at results.Folder, evaluation *results.Trial, data []*datasets.Benchmark, depth int, tell func(string)) (ready bool, err error) {
	if s == nil {
		return true, nil
	}
	s.evaluation, s.at, s.tell = evaluation, at, tell
	s.data, s.of, s.depth = data, map[*datasets.Task]string{}, max(depth, catalog.RetrieveDepth)
	for _, b := range data {
		for i := range b.Tasks {
			s.of[&b.Tasks[i]] = b.Name
		}
	}
	for {
		if was, err := s.Joined(at); was != nil || err != nil {
			return was != nil, err
		}
		missing, err := s.missing()
		if err != nil || len(missing) == 0 {
			return err == nil, err
		}
		mine := missing
		if s.Only > 0 {
			if !slices.Contains(missing, s.Only) {
				s.tell(fmt.Sprintf("%s is ranked; missing still: %s", s.name(s.Only), list(missing)))
				return false, nil
			}
			mine = []int{s.Only}
		}
		if begun, err := s.rankFree(ctx, mine); err != nil {
			return false, err
		} else if !begun {
			if err := wait(ctx, lookAgain); err != nil {
				return false, err
			}
		}
	}
}

// rankFree ranks those of the given shards that no other process is ranking, and reports
// whether there were any.
func (s *ShardSet) rankFree(ctx context.Context, numbers []int) (begun bool, err error) {
	for _, n := range numbers {
		switch err := s.rank(ctx, n); {
		case errors.Is(err, engine.ErrBusy) && ctx.Err() == nil:
			continue
		case err != nil:
			return begun, fmt.Errorf("%s: %w", s.name(n), err)
		}
		begun = true
	}
	return begun, nil
}

// wait returns after d, or at the end of ctx.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// missing lists the incomplete shards.
func (s *ShardSet) missing() (numbers []int, err error) {
	for n := 1; n <= s.Of; n++ {
		whole, err := s.isComplete(n)
		if err != nil {
			return nil, err
		}
		if !whole {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// isComplete reports whether a shard of this evaluation and this program is complete and
// undamaged.
func (s *ShardSet) isComplete(n int) (bool, error) {
	was, err := s.read(n)
	if was == nil || err != nil {
		return false, err
	}
	differ := results.WhatDiffers(was, s.evaluation)
	if was.Provenance.Source != s.evaluation.Provenance.Source {
		differ = append(differ, fmt.Sprintf("infbench %s, now %s (another build)", was.Provenance.Infbench, s.evaluation.Provenance.Infbench))
	}
	if shard := (datasets.Shard{Number: n, Of: s.Of}); len(was.Provenance.Shards) != 1 || was.Provenance.Shards[0].Shard != shard {
		differ = append(differ, "another shard")
	}
	if len(differ) > 0 {
		return false, usage.Errorf("%s in %s is of another evaluation: %s; remove that folder, or name another with --out", s.name(n), s.folder(n, nil).Dir, differ[0])
	}
	return true, nil
}

// read reads a shard; nil if there is no complete one.
func (s *ShardSet) read(n int) (*results.Trial, error) {
	at := s.folder(n, disk.OS{})
	if marked, err := at.Marker().Exists(); !marked || err != nil {
		return nil, err
	}
	var was results.Trial
	err := at.Marker().Verify()
	if err == nil {
		err = at.Reader().Trial(&was)
	}
	if errors.Is(err, results.ErrDamaged) {
		return nil, nil
	}
	return &was, err
}

// rank ranks a shard of every task by every finder and marks it as complete. It returns
// engine.ErrBusy if another process does so.
func (s *ShardSet) rank(ctx context.Context, n int) (err error) {
	lease, err := s.leases().Take(ctx, fmt.Sprint(n))
	if errors.Is(err, fs.ErrNotExist) { // the process that joined the shards removed it at this moment
		return engine.ErrBusy
	}
	if err != nil {
		return err
	}
	defer func() {
		if given := lease.Release(); !errors.Is(given, fs.ErrNotExist) { // the process that joined the shards may have removed it
			err = errors.Join(err, given)
		}
	}()
	ctx, cancel := lease.Context(ctx)
	defer cancel()
	if whole, err := s.isComplete(n); whole || err != nil {
		return err
	}
	if was, err := s.Joined(s.at); was != nil || err != nil {
		return err // changed since the first look
	}
	at := s.folder(n, lease.Fence(disk.OS{}))
	for _, name := range []string{results.DoneFile, results.RunsDir} {
		if err := at.Files.RemoveAll(filepath.Join(at.Dir, name)); err != nil {
			return fmt.Errorf("remove the leftovers of a killed process: %w", err)
		}
	}
	s.tell("ranking " + s.name(n))
	p := s.evaluation.Provenance
	p.Seconds, p.CPUSeconds = map[string]float64{}, nil
	started, clock := time.Now(), provenance.StartClock()
	if err := s.rankTasks(ctx, at, n); err != nil {
		return err
	}
	clock.Stop(&p, "total")
	p.PeakRSS = device.PeakRSS()
	p.Shards = []results.Shard{{Shard: datasets.Shard{Number: n, Of: s.Of}, Host: p.Host, Backend: p.Backend,
		Started: started.UTC().Truncate(time.Second), Seconds: p.Seconds["total"], PeakRSS: p.PeakRSS}}
	return at.Writer().Complete(s.evaluation.Config, nil, p)
}

// rankTasks saves each finder's rankings of every task in the folder of a shard.
func (s *ShardSet) rankTasks(ctx context.Context, at results.Folder, n int) error {
	for _, b := range s.data {
		for _, part := range b.Tasks {
			part.Shard = datasets.Shard{Number: n, Of: s.Of}
			for _, f := range s.finders {
				run, err := f.Retriever.Retrieve(ctx, &part, max(part.Depth, s.depth))
				if err != nil {
					return fmt.Errorf("run %s on %s/%s: %w", f.Name(), b.Name, part.Name, err)
				}
				if err := at.Writer().Run(f.key(b.Name), part.Name, run, f.Name()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
