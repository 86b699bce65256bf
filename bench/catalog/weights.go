package catalog

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"infbench/datasets/atomicfile"
)

// Weights is the SHA-256 of what the opened models were read from: the files of a
// folder, a run file, or what an endpoint is asked; of several models that of all,
// since a first stage and a fused ranking have a say in the numbers. It is "" where
// no model is read from anything.
func (m *Opener) Weights() string {
	if len(m.read) == 1 {
		return m.read[0]
	}
	if len(m.read) == 0 {
		return ""
	}
	return sumOf(strings.Join(m.read, "\n"))
}

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// readFolder hashes the files of a model folder that is opened, not its path.
func (m *Opener) readFolder(dir string) (files string, err error) {
	if files, err = HashModelFiles(dir); err != nil {
		return "", fmt.Errorf("hash model: %w", err)
	}
	m.read = append(m.read, bareHash(files))
	return files, nil
}

// readRun hashes a run file that is opened.
func (m *Opener) readRun(path string) error {
	sum, _, err := atomicfile.SHA256(path)
	m.read = append(m.read, sum)
	return err
}

// bareHash is a hash without the name of its kind, or a commit.
func bareHash(revision string) string { return strings.TrimPrefix(revision, "sha256:") }
