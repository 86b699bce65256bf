package results

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
)

// Thought is what a language model thought before an answer.
type Thought struct {
	Query     string   `json:"query"`
	Documents []string `json:"documents"` // of the question, in their order
	Thoughts  string   `json:"thoughts"`
	Answer    string   `json:"answer"`
	Odds      *float64 `json:"log_odds,omitempty"` // of a judge
}

// thoughtsDir has the thoughts of a language model, a packed file for each task.
const thoughtsDir = "thoughts"

func thoughtsName(benchmark, task string) string {
	return thoughtsDir + "/" + TaskFile(benchmark, task) + queriesEnding
}

// Thoughts stores the thoughts before the answers of one task. Equal thoughts give equal bytes.
func (w Writer) Thoughts(benchmark, task string, list []Thought) error {
	return w.file(filepath.FromSlash(thoughtsName(benchmark, task)), func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := encodeLines(z, list); err != nil {
			return err
		}
		return z.Close()
	})
}

// Thoughts reads the thoughts of a task in a complete folder, and checks them against the completion
// marker. It returns none if the task has none.
func (r Reader) Thoughts(benchmark, task string) ([]Thought, error) {
	d, err := r.at.Marker().read()
	name := thoughtsName(benchmark, task)
	if errors.Is(err, fs.ErrNotExist) || err == nil && d.Files[name] == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return readPacked[Thought](d.at.file(name), d.Files[name])
}
