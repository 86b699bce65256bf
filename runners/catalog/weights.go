package catalog

import (
	"fmt"
	"strings"

	"infbench/internal/disk"
	"infbench/runners/results"
)

// Weights is the SHA-256 of the opened models' origins: the files of a folder or the commit of
// a fetched model, a run file, or the requests to an endpoint (results.WeightsOf).
func (m *Opener) Weights() string { return results.WeightsOf(m.read) }

// readFolder records the identity of an opened model folder: its revision, not its path.
func (m *Opener) readFolder(w *catalogWeights) error {
	revision, err := w.revision()
	m.read = append(m.read, bareHash(revision))
	return err
}

// hash is the hash of the files of a model folder, which are read once.
func (w *catalogWeights) hash() (_ string, err error) {
	if w.files == "" {
		if w.files, err = HashModelFiles(w.path); err != nil {
			return "", fmt.Errorf("hash model: %w", err)
		}
	}
	return w.files, nil
}

// source names the files that vectors come from.
func (w *catalogWeights) source() (string, error) {
	files, err := w.hash()
	if err != nil || w.base == nil {
		return "files " + files, err
	}
	below, err := w.base.hash()
	return "files " + files + " merged into files " + below, err
}

// readRun records the hash of an opened run file.
func (m *Opener) readRun(path string) error {
	sum, _, err := disk.SHA256(path)
	m.read = append(m.read, sum)
	return err
}

// bareHash is a hash without the name of its kind, or a commit.
func bareHash(revision string) string { return strings.TrimPrefix(revision, "sha256:") }
