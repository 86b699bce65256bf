package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"infbench/internal/disk"
)

// Training is a trial folder in which a model is trained without a sweep.
type Training struct{ at Folder }

// Training returns the folder as one of a training without a sweep.
func (f Folder) Training() Training { return Training{f} }

// marker returns the marker of the trained files in the folder.
func (t Training) marker() Marker { return Marker{t.at, trainedFile, trainingLeaves} }

// Ended reports whether a training without a sweep has ended in the folder: the folder is
// marked and its files match the marker, or it has the model but not the checkpoint from which
// training would continue, as after a crash. In the second case Ended marks the folder.
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

// Begin marks a folder for the training of a trial, or recognizes the mark. taken describes any
// other content; nothing may then be written there.
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
		return "contains files of another trial (" + t.at.path(TrialFile) + ")", nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	unknown, err := t.at.UnknownFile()
	if unknown != "" {
		return fmt.Sprintf("contains %s, which is not a file of a training", unknown), nil
	}
	if err != nil {
		return "", err
	}
	return "", t.at.Writer().Trial(print)
}

// Finish marks a folder with its trained files, against which readers of the model check it.
// Nothing may be written to the folder afterwards.
func (t Training) Finish() error { return t.marker().Write() }
