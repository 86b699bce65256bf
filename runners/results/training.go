package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"infbench/internal/disk"
)

// EndTraining says whether a training that is of no sweep ended there before: it is
// marked so, and is what the marker says, or its model stands without the checkpoint that
// it would go on from, as a crash leaves it; then it is marked.
func (f Folder) EndTraining() (ended bool, err error) {
	d, err := f.marker(trainedFile)
	if err == nil {
		return true, f.holds(d)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	model, err := disk.Exists(f.Model())
	if err != nil || !model {
		return false, err
	}
	checkpoint, err := f.ownCheckpoint()
	if err != nil || len(checkpoint) > 0 {
		return false, err
	}
	return true, f.FinishTraining()
}

// BeginTraining marks a folder as one that a trial is trained in, or recognises it as
// such. Where it holds anything else, taken says what, and nothing may be written there.
func (f Folder) BeginTraining(print func(io.Writer) error) (taken string, err error) {
	var text bytes.Buffer
	if err := print(&text); err != nil {
		return "", err
	}
	was, err := disk.ReadFile(f.path(TrialFile))
	switch {
	case err == nil && bytes.Equal(was, text.Bytes()):
		return "", nil
	case err == nil:
		return "holds what another trial left (" + f.path(TrialFile) + ")", nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	stranger, err := f.Stranger()
	if stranger != "" {
		return fmt.Sprintf("holds %s, which no training wrote", stranger), nil
	}
	if err != nil {
		return "", err
	}
	return "", f.WriteTrial(print)
}

// FinishTraining marks a folder with what was trained in it, which whoever reads the model
// is held to. Nothing may be written to it after.
func (f Folder) FinishTraining() error { return f.mark(trainedFile, trainingLeaves) }
