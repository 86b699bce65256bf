package chat

import (
	"context"
	"fmt"
	"path/filepath"

	"infbench/internal/disk"
)

// Replay is a model that answers only from a store, of any origin, and never connects: tests and
// reviewers need no key. The error for a missing answer names the request.
type Replay struct{ dir string }

var _ Model = Replay{}

// OpenReplay returns the recording in a folder: that of a cache, or of Recorded.
func OpenReplay(dir string) (Replay, error) {
	info, err := disk.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return Replay{}, fmt.Errorf("open recording: %w", err)
	}
	return Replay{dir}, nil
}

// Ask answers from the recording.
func (p Replay) Ask(_ context.Context, r Request) (Answer, error) {
	hash, err := r.Hash()
	if err != nil {
		return Answer{}, err
	}
	origins, err := disk.ReadDir(p.dir)
	if err != nil {
		return Answer{}, fmt.Errorf("read recording: %w", err)
	}
	var found *entry
	for _, o := range origins {
		e, err := readEntry(filepath.Join(p.dir, o.Name(), hash[:2], hash+".json"), hash)
		switch {
		case err != nil:
			return Answer{}, err
		case e == nil:
		case found != nil && found.Sum != e.Sum:
			return Answer{}, fmt.Errorf("recording %s has two answers to request %.12s, of %q and %q", p.dir, hash, found.Origin, e.Origin)
		default:
			found = e
		}
	}
	if found == nil {
		return Answer{}, &Error{NotRecorded, fmt.Errorf("recording %s does not have request %.12s to %s: %q", p.dir, hash, r.Model, shortened(r.last()))}
	}
	return found.result()
}

// last returns the text of the last message.
func (r *Request) last() string {
	if len(r.Messages) == 0 {
		return r.Prompt
	}
	return r.Messages[len(r.Messages)-1].Text
}
