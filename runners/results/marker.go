package results

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"infbench/internal/disk"
)

// Marker is a file that marks a folder as complete. It is written last, sealed, and lists the
// SHA-256 of every file of the trial. Other files in the folder are not part of the trial:
// nothing reads or removes them.
type Marker struct {
	at   Folder
	file string   // its own name
	of   []string // covered names at the top of the folder
}

// Marker returns the completion marker of a trial or an evaluation.
func (f Folder) Marker() Marker { return Marker{f, DoneFile, ofTrial} }

// manifest is the content of a marker.
type manifest struct {
	Files   map[string]string `json:"files"`
	Answers []ChatTask        `json:"answers,omitempty"` // the answers to a recipe's questions, by task

	at  Folder // folder of the marker
	sum string // SHA-256 of the marker file
}

// weights returns the SHA-256 of the trained weights, or "" if there are none.
func (m manifest) weights() string {
	var sums []string
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		top, _, _ := strings.Cut(name, "/")
		if (top == ModelDir || top == AdapterDir) && strings.HasSuffix(name, weightsEnd) {
			sums = append(sums, m.Files[name])
		}
	}
	return WeightsOf(sums)
}

// weightsEnd is the suffix of weight files.
const weightsEnd = ".safetensors"

// ofTrial are the names at the top of a folder that make up a complete trial. The speed of
// training is left out: it describes one machine on one day.
var ofTrial = []string{ScoresFile, SettingsFile, ProvenanceFile, TrialFile, CurveFile, ValidationFile, EvaluationsFile, ProbeFile,
	RunsDir, askedDir, thoughtsDir, queriesDir, judgmentsDir, ModelDir, AdapterDir}

// Names lists the names that a trial or an evaluation writes at the top of its folder.
func Names() []string {
	return slices.Concat(ofTrial, []string{SpeedFile, FailureFile, HaltFile, DoneFile, trainedFile})
}

// trainingLeaves are the names that a training without a sweep writes.
var trainingLeaves = []string{TrialFile, CurveFile, ValidationFile, EvaluationsFile, ModelDir, AdapterDir}

// Write marks the folder as complete. Nothing may be written to it afterwards; the checkpoint
// is not part of it and may be removed.
func (m Marker) Write() error { return m.write(nil) }

// write is like Write, with the counts of the answers to a recipe's questions.
func (m Marker) write(answers []ChatTask) error {
	names, err := m.at.names(m.of)
	names = slices.DeleteFunc(names, isNote)
	sums := map[string]string{}
	for i := 0; i < len(names) && err == nil; i++ {
		sums[names[i]], _, err = disk.SHA256(m.at.path(filepath.FromSlash(names[i])))
	}
	if err != nil {
		return fmt.Errorf("hash files of %s: %w", m.at.Dir, err)
	}
	return disk.WriteSealed(m.at.Files, m.path(), manifest{Files: sums, Answers: answers})
}

func (m Marker) path() string { return m.at.path(m.file) }

// Exists reports whether the marker file exists, whatever its content.
func (m Marker) Exists() (bool, error) { return disk.Exists(m.path()) }

// isNote reports whether a file in a model folder is not part of the model, such as its card. The
// user may change or remove it.
func isNote(name string) bool {
	top, rest, below := strings.Cut(name, "/")
	if !below || top != ModelDir && top != AdapterDir {
		return false
	}
	base := rest[strings.LastIndexByte(rest, '/')+1:]
	return !slices.Contains([]string{".json", ".safetensors", ".model", ".jinja"}, filepath.Ext(base)) && !slices.Contains([]string{"vocab.txt", "merges.txt"}, base)
}

// ErrDamaged means that the content of a complete trial folder has changed since it was
// completed.
var ErrDamaged = errors.New("trial folder is damaged")

// Verify checks a trial folder against its completion marker. It returns fs.ErrNotExist if
// there is no marker, and ErrDamaged if the marker is invalid or a file of the trial is missing
// or changed. Any other error means that the folder could not be read, not that it is damaged.
// Verify reads a bad file twice, because a single failure of a disk or a file server is not
// damage.
func (m Marker) Verify() error {
	err := m.verify()
	if err != nil && m.at.HasBegun() {
		err = m.verify()
	}
	return err
}

func (m Marker) verify() error {
	want, err := m.read()
	if err != nil {
		return err
	}
	return want.holds()
}

// holds checks every file of the manifest.
func (m manifest) holds() error {
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if err := m.check(name, read); err != nil {
			return err
		}
	}
	return nil
}

// check checks one file of the manifest.
func (m manifest) check(name string, hash func(path string) (string, error)) error {
	path := m.at.file(name)
	switch sum, err := hash(path); {
	case gone(err):
		return fmt.Errorf("%w: %s is missing", ErrDamaged, path)
	case err != nil:
		return fmt.Errorf("check trial: %w", err)
	case sum != m.Files[name]:
		return fmt.Errorf("%w: %s was changed", ErrDamaged, path)
	}
	return nil
}

// gone reports whether an error means that a file does not exist or has another type.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, disk.ErrIrregular)
}

// read parses the marker of a complete trial. The marker must list the files that every trial
// has.
func (m Marker) read() (manifest, error) {
	d, err := m.parse()
	if err != nil {
		return d, err
	}
	for _, name := range []string{SettingsFile, ScoresFile, ProvenanceFile} {
		if d.Files[name] == "" {
			return d, fmt.Errorf("%w: %s does not list %s", ErrDamaged, m.path(), name)
		}
	}
	return d, nil
}

// parse parses the marker, whatever it lists.
func (m Marker) parse() (d manifest, err error) {
	data, err := disk.ReadFile(m.path())
	if err != nil { // an error of the disk or of short memory: the content is unknown
		return d, err
	}
	d.at, d.sum = m.at, disk.Sum(data)
	if err := disk.DecodeSealed(m.path(), data, &d); err != nil {
		return d, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for name := range d.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return d, fmt.Errorf("%w: %s lists %q, which leads out of the folder", ErrDamaged, m.path(), name)
		}
	}
	return d, nil
}

// readAll is like read, but every listed file must exist.
func (m Marker) readAll() (manifest, error) {
	d, err := m.read()
	if err != nil {
		return d, err
	}
	return d, d.lists()
}

// lists returns an error if a file of the manifest does not exist: its name may have been
// changed in the manifest, and the real file would be silently ignored.
func (m manifest) lists() error {
	for name := range m.Files {
		if _, err := disk.Stat(m.at.path(filepath.FromSlash(name))); gone(err) {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, m.at.path(name))
		}
	}
	return nil
}

// ExtraFiles lists the files in a complete folder that do not belong to the trial, by
// slash-separated relative name, sorted. A folder with only such files is listed once, by its
// own name.
func (m Marker) ExtraFiles() ([]string, error) {
	d, err := m.read()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{DoneFile: true, SpeedFile: true, FailureFile: true, CheckpointDir: true, vectorsDir: true,
		ModelDir + "/" + CardFile: true}
	for name := range d.Files {
		for ; name != "."; name = pathDir(name) {
			known[name] = true
		}
	}
	var extra []string
	err = walk(m.at.Dir, "", func(name string, folder bool) bool {
		switch {
		case disk.IsTemporary(name):
			return false
		case known[name]:
			return folder && name != CheckpointDir && name != vectorsDir
		}
		extra = append(extra, name)
		return false
	})
	slices.Sort(extra)
	return extra, err
}

// circumstances are files that describe how and where a trial was made. They differ between
// equal trials.
var circumstances = []string{ProvenanceFile, SpeedFile}

// Differs lists the files in which another complete folder of the same trial differs, by the
// markers of both, except those that describe how it was made.
func (m Marker) Differs(other Marker) ([]string, error) {
	mine, err := m.read()
	theirs, otherErr := other.read()
	if err := errors.Join(err, otherErr); err != nil {
		return nil, err
	}
	all := maps.Clone(mine.Files)
	maps.Copy(all, theirs.Files)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if mine.Files[name] != theirs.Files[name] && !slices.Contains(circumstances, name) {
			differ = append(differ, name)
		}
	}
	return differ, nil
}

// pathDir returns the slash-separated parent of a relative name, or "." at the top.
func pathDir(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return "."
}

// names lists the files at or below some names at the top of the folder, by slash-separated
// relative name, sorted. It leaves out hidden files, which come from editors, file servers,
// desktops and killed processes.
func (f Folder) names(of []string) (names []string, err error) {
	err = walk(f.Dir, "", func(name string, folder bool) bool {
		switch top, _, _ := strings.Cut(name, "/"); {
		case !slices.Contains(of, top), isHidden(name):
			return false
		case !folder:
			names = append(names, name)
		}
		return folder
	})
	slices.Sort(names)
	return names, err
}

// isHidden reports whether a name is hidden or a backup. This program gives no such names.
func isHidden(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~")
}

// walk visits the content of a folder by slash-separated relative name, and enters the folders
// for which visit returns true. Links to folders, which may be on another disk, count as
// folders.
func walk(root, below string, visit func(name string, folder bool) bool) error {
	entries, err := disk.ReadDir(filepath.Join(root, filepath.FromSlash(below)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if below != "" {
			name = below + "/" + name
		}
		folder := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := disk.Stat(filepath.Join(root, filepath.FromSlash(name)))
			folder = err == nil && info.IsDir()
		}
		if visit(name, folder) && folder {
			if err := walk(root, name, visit); err != nil {
				return err
			}
		}
	}
	return nil
}
