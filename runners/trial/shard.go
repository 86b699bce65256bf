package trial

import (
	"context"
	"errors"

	"infbench/datasets"
	"infbench/runners/catalog"
	"infbench/runners/engine"
	"infbench/runners/provenance"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// RunShard ranks one shard, given by in.Split, of a trial that trains nothing. The shard has
// its own folder; the process that runs the trial joins the shards. A failed attempt records
// its error.
func RunShard(ctx context.Context, run runs.Folder, t *spec.Trial, in Surroundings) error {
	shard := datasets.Shard{Number: in.Split.Only, Of: in.Split.Of}
	if run.Trial(t.ID).Marker().Verify() == nil {
		in.report(engine.Progress{Phase: engine.FoundDone})
		return nil
	}
	at := run.Trial(runs.ShardJob(t.ID, shard))
	err := rankShard(ctx, run, at, t, in)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return Fail(at, err)
}

// rankShard ranks the shard whose folder is at.
func rankShard(ctx context.Context, run runs.Folder, at results.Folder, t *spec.Trial, in Surroundings) (err error) {
	if err := in.adapt(at, t); err != nil {
		return err
	}
	p, err := in.begin(run.Dir, t, provenance.StartClock().Started())
	if err != nil {
		return err
	}
	defer in.Machine.Meter.Stop()
	set := in.Split.New()
	opener := catalog.Opener{Divide: set.Divide}
	defer func() { err = errors.Join(err, opener.Close()) }()
	if _, err := openModel(ctx, run.Trial(t.ID), t, in, &opener); err != nil {
		return err
	}
	benchmarks, err := in.loadTasks(t, &opener, &p)
	if err != nil {
		return err
	}
	return in.rankShards(ctx, run.Trial(t.ID), t, p, set, benchmarks)
}

// rankShards ranks the missing shards of a trial, or only the requested one.
func (in *Surroundings) rankShards(ctx context.Context, at results.Folder, t *spec.Trial, p results.Provenance, set *ShardSet, benchmarks []*datasets.Benchmark) error {
	evaluation := results.Trial{Config: runs.Config(t), Provenance: p}
	_, err := set.Rank(ctx, at, &evaluation, benchmarks, t.Cell.Depth, func(sentence string) { in.report(engine.Progress{Phase: sentence}) })
	return err
}

// loadTasks loads the tests of a trial in the pinned revisions. It records how they were read
// and the doubts about them.
func (in *Surroundings) loadTasks(t *spec.Trial, opener *catalog.Opener, p *results.Provenance) ([]*datasets.Benchmark, error) {
	benchmarks, err := catalog.LoadPinned(t)
	if err != nil {
		return nil, err
	}
	for _, b := range benchmarks {
		if err := opener.CheckTasks(b); err != nil {
			return nil, err
		}
		described, err := provenance.DescribeBenchmark(b)
		if err != nil {
			return nil, err
		}
		p.Benchmarks = append(p.Benchmarks, described)
		for _, doubt := range results.Doubts(described.Name, described.Warnings) {
			in.Notice(doubt)
		}
	}
	return benchmarks, nil
}
