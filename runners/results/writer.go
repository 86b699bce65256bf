package results

import (
	"encoding/json"
	"io"
	"path/filepath"

	"infbench/internal/disk"
)

// Writer writes the results of a trial into its folder.
type Writer struct{ at Folder }

// Writer returns a writer into the folder.
func (f Folder) Writer() Writer { return Writer{f} }

// Trial stores the resolved trial in the plan's format.
func (w Writer) Trial(print func(io.Writer) error) error { return w.file(TrialFile, print) }

// Config stores a trial's resolved configuration as flat keys and values.
func (w Writer) Config(c Config) error {
	return w.json(SettingsFile, c)
}

// Scores stores per-query values, one JSON object on each line, in the given order.
func (w Writer) Scores(scores []Result) error {
	return writeLines(w, ScoresFile, scores)
}

// Validation stores per-query values on held-out queries, as Scores does.
func (w Writer) Validation(scores []Result) error {
	return writeLines(w, ValidationFile, scores)
}

// Evaluations stores the values on held-out queries during training.
func (w Writer) Evaluations(evaluations []Evaluation) error {
	return writeLines(w, EvaluationsFile, evaluations)
}

// Curve stores the training curve of a trial.
func (w Writer) Curve(steps []Step) error {
	return writeLines(w, CurveFile, steps)
}

// Provenance stores how a trial was made.
func (w Writer) Provenance(p Provenance) error {
	return w.json(ProvenanceFile, p)
}

// Card stores the model card in the folder of the trained model, unless the folder has one. The card
// is not part of the trial: the user may change or remove it.
func (w Writer) Card(text []byte) error {
	path := filepath.Join(w.at.Model(), CardFile)
	if there, err := disk.Exists(path); there || err != nil {
		return err
	}
	return disk.WriteBytesTo(w.at.Files, path, text)
}

// Complete writes the results of a trial and marks its folder as complete.
func (w Writer) Complete(config Config, scores []Result, p Provenance) error {
	if err := w.Config(config); err != nil {
		return err
	}
	if err := w.Scores(scores); err != nil {
		return err
	}
	if err := w.Provenance(p); err != nil {
		return err
	}
	var answers []ChatTask
	if p.Chat != nil && p.Chat.Recipe != "" {
		answers = p.Chat.Tasks
	}
	return w.at.Marker().write(answers)
}

func (w Writer) file(name string, fill func(io.Writer) error) error {
	return disk.WriteTo(w.at.Files, w.at.path(name), fill)
}

func writeLines[T any](w Writer, name string, items []T) error {
	return w.file(name, func(out io.Writer) error { return encodeLines(out, items) })
}

func encodeLines[T any](w io.Writer, items []T) error {
	enc := json.NewEncoder(w)
	for _, item := range items {
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

func (w Writer) json(name string, v any) error {
	return disk.WriteJSONTo(w.at.Files, w.at.path(name), v)
}
