package engine

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"infbench/internal/disk"
)

// wave is one array of trials submitted to a cluster. It has a folder:
//
//	wave.json  the submission
//	cells      the trial IDs, one a line; line n+1 is array index n
//	N.out      the output of the task of index N
//
// The folder is written before the submission, and the cluster's job has the same name. If the
// submitter dies, another process can therefore find the job again. A wave is open while its
// cells file exists; tasks of a closed wave do nothing, even if the cluster starts them.
type wave struct {
	Name      string    `json:"name"` // name of the cluster's job; random, so that it is unique
	Cells     []string  `json:"cells"`
	JobID     string    `json:"job_id,omitempty"` // empty until the cluster confirmed it
	Command   []string  `json:"command,omitempty"`
	Submitted time.Time `json:"submitted"`

	dir string
}

// Names of the files of a wave folder.
const (
	waveFile  = "wave.json"
	cellsFile = "cells"
)

// newWaveName returns "infbench-<experiment>-<64 random bits>".
func newWaveName(experiment string) string { return "infbench-" + experiment + "-" + randomToken() }

// randomToken returns 64 random bits.
func randomToken() string {
	var token [8]byte
	rand.Read(token[:]) // never fails
	return hex.EncodeToString(token[:])
}

// openWave creates the folder of a new wave below parent.
func openWave(parent, name string, cells []string) (*wave, error) {
	w := &wave{Name: name, Cells: cells, Submitted: time.Now(), dir: filepath.Join(parent, name)}
	if err := w.save(); err != nil {
		return nil, err
	}
	if err := disk.WriteBytes(w.cellsPath(), cellLines(cells)); err != nil {
		return nil, err
	}
	return w, nil
}

// cellLines returns the content of a cells file.
func cellLines(cells []string) []byte {
	return []byte(strings.Join(cells, "\n") + "\n")
}

// openWaves reads the open waves below parent. If the wave.json of a folder is broken, err
// names the folder and the other waves are not returned: the job of that folder is unknown.
func openWaves(parent string) ([]*wave, error) {
	entries, err := disk.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list waves: %w", err)
	}
	var waves []*wave
	for _, entry := range entries {
		w := &wave{dir: filepath.Join(parent, entry.Name())}
		if _, err := disk.Stat(w.cellsPath()); !entry.IsDir() || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		data, err := disk.ReadFile(filepath.Join(w.dir, waveFile))
		if err == nil {
			err = json.Unmarshal(data, w)
		}
		if err == nil && w.Name != entry.Name() {
			err = fmt.Errorf("names itself %q", w.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("read wave %s: %w; cancel the job of that name and remove the folder", w.dir, err)
		}
		waves = append(waves, w)
	}
	return waves, nil
}

func (w *wave) cellsPath() string { return filepath.Join(w.dir, cellsFile) }

// save writes wave.json.
func (w *wave) save() error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", "  ")
	if err := enc.Encode(w); err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(w.dir, waveFile), buf.Bytes())
}

// confirm records the cluster's number of the wave's job.
func (w *wave) confirm(jobID string) error {
	w.JobID = jobID
	return w.save()
}

// remove deletes the folder of a wave that the cluster has not accepted.
func (w *wave) remove() error {
	if err := (disk.OS{}).RemoveAll(w.dir); err != nil {
		return fmt.Errorf("remove wave: %w", err)
	}
	return nil
}

// close withdraws the wave: tasks that have not begun never will.
func (w *wave) close() error {
	if err := (disk.OS{}).Remove(w.cellsPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("close wave: %w", err)
	}
	return nil
}
