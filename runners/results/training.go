package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"infbench/internal/disk"
)

// Training is a trial folder in which a model is trained by itself, in no sweep.
type Training struct{ at Folder }

// Training is the folder as one of a training by itself.
func (f Folder) Training() Training { return Training{f} }

// marker says what was trained in the folder.
func (t Training) marker() Marker { return Marker{t.at, trainedFile, trainingLeaves} }

// Ended reports whether a training that is of no sweep ended there before: it is
// marked so, and is what the marker says, or its model stands without the checkpoint that
// it would go on from, as a crash leaves it; then it is marked.
func (t Training) Ended() (ended bool, err error) {
	d, err := t.marker().parse()
	if err == nil {
		return true, d.holds()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	model, err := disk.Exists(t.at.Model())
	if err != nil || !model {
		return false, err
	}
	checkpoint, err := t.at.Scratch().ownCheckpoint()
	if err != nil || len(checkpoint) > 0 {
		return false, err
	}
	return true, t.Finish()
}

// Begin marks a folder as one that a trial is trained in, or recognises it as
// such. Where it holds anything else, taken says what, and nothing may be written there.
func (t Training) Begin(print func(io.Writer) error) (taken string, err error) {
	var text bytes.Buffer
	if err := print(&text); err != nil {
		return "", err
	}
	was, err := disk.ReadFile(t.at.path(TrialFile))
	switch {
	case err == nil && bytes.Equal(was, text.Bytes()):
		return "", nil
	case err == nil:
		return "holds what another trial left (" + t.at.path(TrialFile) + ")", nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	stranger, err := t.at.Stranger()
	if stranger != "" {
		return fmt.Sprintf("holds %s, which no training wrote", stranger), nil
	}
	if err != nil {
		return "", err
	}
	return "", t.at.Writer().Trial(print)
}

// Finish marks a folder with what was trained in it, which whoever reads the model
// is held to. Nothing may be written to it after.
func (t Training) Finish() error { return t.marker().Write() }
