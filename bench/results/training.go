package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"infbench/datasets/atomicfile"
)

// IsTrained says whether a training that is of no sweep ended there: its model stands,
// and the checkpoint that it would go on from is gone.
func (f Folder) IsTrained() (bool, error) {
	model, err := atomicfile.Exists(f.Model())
	if err != nil || !model {
		return false, err
	}
	checkpoint, err := atomicfile.Exists(f.path(CheckpointDir))
	return err == nil && !checkpoint, err
}

// BeginTraining marks a folder as one that a trial is trained in, or recognises it as
// such. Where it holds anything else, taken says what, and nothing may be written there.
func (f Folder) BeginTraining(print func(io.Writer) error) (taken string, err error) {
	var text bytes.Buffer
	if err := print(&text); err != nil {
		return "", err
	}
	was, err := atomicfile.ReadFile(f.path(TrialFile))
	switch {
	case err == nil && bytes.Equal(was, text.Bytes()):
		return "", f.removeFile(trainedFile) // it is trained anew
	case err == nil:
		return "holds what another trial left (" + f.path(TrialFile) + ")", nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	stranger, err := f.stranger()
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
