package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"infbench/datasets/mixture"
	"infbench/metrics"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/contamination"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training"
	"infbench/training/encoder"
)

// openModel returns the model that a trial evaluates: a baseline, or an encoder that it first
// trains and saves in its folder.
func openModel(ctx context.Context, at results.Folder, t *spec.Trial, in Surroundings, opener *catalog.Opener) (runners.Retriever, error) {
	c := &t.Cell
	if err := cmp.Or(catalog.CheckWeights(t), catalog.CheckSources(t), catalog.CheckContents(t)); err != nil {
		return nil, err
	}
	switch c.Model {
	case spec.Untrained:
		enc, _, err := catalog.NewBackbone(c, in.Machine)
		if err != nil {
			return nil, err
		}
		return trialRetriever(c, c.Model, enc, in.Machine, in.Machine.CacheFolder(), opener)
	case spec.Trained:
		enc, err := in.takeModel(at)
		switch {
		case err != nil:
		case enc == nil:
			enc, err = Train(ctx, t, at, in)
		default:
			err = writeCard(at, t, enc)
		}
		if err != nil {
			return nil, err
		}
		folder := in.Machine.CacheFolder()
		if folder != "" {
			folder = at.Vectors()
		}
		return trialRetriever(c, c.Backbone+"/"+c.Loss, enc, in.Machine, folder, opener)
	}
	opener.Options = in.Machine
	opener.OfTrial(t, in.Remote)
	model, err := opener.Open()
	for _, remark := range opener.Remarks {
		in.Notice(remark)
	}
	return model, err
}

// trialRetriever returns a retriever for an encoder that saves its vectors in a folder.
func trialRetriever(c *spec.Cell, name string, enc *encoder.Encoder, m device.Options, folder string, opener *catalog.Opener) (runners.Retriever, error) {
	kind, err := runners.ParseSimilarity(c.Compares())
	if err != nil {
		return nil, err
	}
	if err := enc.SetPrecision(c.Precision); err != nil {
		return nil, err
	}
	if kind == runners.Dot {
		enc.LeaveUnnormalized()
	}
	if c.Dims > 0 {
		enc.LeaveWhole()
	}
	cached, err := opener.Keep(enc, folder, m.Device, func() (string, error) { return catalog.WeightsSource(enc) })
	if err != nil {
		return nil, err
	}
	narrow, err := runners.Shorten(cached, c.Dims)
	if err != nil {
		return nil, err
	}
	exact, err := runners.Shorten(enc, c.Dims)
	if err != nil {
		return nil, err
	}
	dense := func(by runners.Encoder) runners.Retriever { return runners.NewDense(name, by, m.Dense(kind)) }
	return opener.Narrow(c.Precision, opener.Divided(dense(narrow)), dense(exact), enc.SetPrecision)
}

// Limits for the work that a killed run loses: a number of steps, and a time, because one step
// of a large model takes minutes.
const (
	CheckpointEvery  = 100
	CheckpointWithin = 10 * time.Minute
)

// Train trains a trial's encoder and saves it as a HuggingFace folder. It continues from the
// checkpoint of an interrupted run. It also saves the loss curve, the trained adapter, the
// values on held-out queries and the model card.
func Train(ctx context.Context, t *spec.Trial, at results.Folder, in Surroundings) (enc *encoder.Encoder, err error) {
	c := &t.Cell
	loss, err := training.ParseLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	first, others, err := device.OpenDevices(in.Machine.Device, in.Devices)
	if err != nil {
		return nil, err
	}
	in.Machine.Device = first
	enc, data, err := catalog.NewBackbone(c, in.Machine)
	if err != nil {
		return nil, err
	}
	if err := catalog.CheckEqual(c, data); err != nil {
		return nil, err
	}
	records := data.Len()
	if c.Train.DropOverlap {
		if data, err = removeOverlap(t, data, in.removed); err != nil {
			return nil, err
		}
	}
	held, data, err := newValidation(t, data)
	if err != nil {
		return nil, err
	}
	if data, err = catalog.Left(c, data); err != nil {
		return nil, err
	}
	if c.Dims > 0 {
		enc.LeaveWhole() // the model folder's truncate_dim
	}
	narrow, err := runners.Shorten(enc, c.Dims) // as it will be tested
	if err != nil {
		return nil, err
	}
	trained, err := runners.ParseSimilarity(string(c.Design.Score)) // validation compares vectors as training does
	if err != nil {
		return nil, err
	}
	validate := &validator{held, runners.NewDense("validation", narrow, in.Machine.Dense(trained))}
	config, err := catalog.Length(c)
	if err != nil {
		return nil, err
	}
	config.Seed, config.Chunk = c.Seed, in.Chunk
	if in.trained != nil {
		in.trained(results.Trained{Records: data.Len(), Of: records, Rows: data.Rows(), Steps: config.StepsOn(data.Rows())})
	}
	watch := newStopwatch(at)
	options, err := trainingOptions(ctx, t, at, in, validate, watch, config.StepsOn(data.Rows()))
	if err != nil {
		return nil, err
	}
	options.Devices = others
	var judges catalog.Opener
	defer func() { err = errors.Join(err, judges.Close()) }()
	for _, j := range []struct {
		name string
		into *training.Judge
	}{{c.Guide(), &options.Guide}, {c.Teacher(), &options.Teacher}} {
		if j.name == "" {
			continue
		}
		judges.ModelOptions = catalog.ModelOptions{Model: j.name, Depth: 1, Options: in.Machine}
		if *j.into, err = judges.OpenEncoder(); err != nil {
			return nil, fmt.Errorf("%s, which judges passages: %w", j.name, err)
		}
	}
	summary, err := training.Train(ctx, config, loss, enc, data, options)
	err = errors.Join(err, watch.lost, watch.save(), writeCurve(at, summary.Curve))
	if err != nil {
		return nil, fmt.Errorf("train %s: %w", c.Loss, err)
	}
	if held != nil {
		if err := writeValidation(ctx, at, validate, &summary); err != nil {
			return nil, err
		}
	}
	if err := saveModel(at, c, enc); err != nil {
		return nil, fmt.Errorf("save model: %w", err)
	}
	return enc, writeCard(at, t, enc)
}

// saveModel writes a trained model, or its adapter in the place of the model.
func saveModel(at results.Folder, c *spec.Cell, enc *encoder.Encoder) error {
	if c.Train.LoRA.Keep != encoder.KeepAdapter {
		return enc.SaveTo(at.Files, at.Model())
	}
	base, revision, err := catalog.AdapterBase(c.Backbone, at.Model())
	if err != nil {
		return err
	}
	if err := encoder.SaveAdapted(enc, at.Files, at.Model(), at.Adapter(), base, revision); err != nil {
		return err
	}
	return at.Files.RemoveAll(at.Adapter())
}

// removeOverlap removes the training data that the trial's tests share, and reports its amount.
func removeOverlap(t *spec.Trial, data mixture.Data, tell func(results.Removed)) (mixture.Data, error) {
	tests, err := catalog.LoadPinned(t)
	if err != nil {
		return nil, err
	}
	rest, removed, err := contamination.Remove(data, tests)
	if err == nil && tell != nil {
		tell(removed)
	}
	return rest, err
}

// trainingOptions returns where a training of so many steps saves itself and who is notified of
// its steps and evaluations.
func trainingOptions(ctx context.Context, t *spec.Trial, at results.Folder, in Surroundings, v *validator, watch *stopwatch, steps int) (training.Options, error) {
	options := training.Options{Checkpoint: at.Checkpoint(), Every: in.Every, Within: in.Within}.WrittenTo(at.Files)
	options.OnStep = func(s training.Step) {
		rate := watch.lap(s)
		in.tellStep(engine.Progress{Phase: runs.PhaseTrain, Done: s.Step, Total: steps, Loss: s.Loss, Rate: rate}, results.Step(s))
	}
	if t.Cell.Train.LoRA.Rank > 0 {
		options.Adapter = at.Adapter()
	}
	if t.Cell.Train.EvaluateEvery > 0 {
		_, better, err := metrics.ParseSelector(t.Cell.Validate.Measure)
		if err != nil {
			return options, err
		}
		options.Better = better.Better
		options.OnEvaluate = func(step int) (float64, error) {
			scores, value, err := v.judge(ctx)
			return value, errors.Join(err, in.Hopeless.look(better, step, steps, scores, value))
		}
	}
	return options, nil
}

// writeCurve saves the loss curve, also of a failed run: it shows why.
func writeCurve(at results.Folder, steps []training.Step) error {
	if len(steps) == 0 {
		return nil
	}
	curve := make([]results.Step, len(steps))
	for i, s := range steps {
		curve[i] = results.Step(s)
	}
	return at.Writer().Curve(curve)
}

// writeValidation saves the values on held-out queries of the trained weights and of the
// weights during training.
func writeValidation(ctx context.Context, at results.Folder, v *validator, summary *training.Summary) error {
	scores, err := v.scores(ctx)
	if err != nil {
		return err
	}
	if err := at.Writer().Validation(scores); err != nil {
		return err
	}
	if len(summary.Evaluations) == 0 {
		return nil
	}
	var list []results.Evaluation
	for _, e := range summary.Evaluations {
		list = append(list, results.Evaluation{Step: e.Step, Value: e.Value, Best: e.Step == summary.Best})
	}
	return at.Writer().Evaluations(list)
}
