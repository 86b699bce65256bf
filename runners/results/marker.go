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

// Marker is a file that says that a folder is complete: it is written last, sealed, and
// lists the SHA-256 of every file of the trial. Other files in the folder are not part of
// the trial: nobody reads them, and nobody removes them.
type Marker struct {
	at   Folder
	file string   // its own name
	of   []string // names at the top of the folder that it covers
}

// Marker is the completion marker of a trial or an evaluation.
func (f Folder) Marker() Marker { return Marker{f, DoneFile, ofTrial} }

// manifest is the content of a marker.
type manifest struct {
	Files map[string]string `json:"files"`

	at  Folder // that it was read from
	sum string // SHA-256 of the file that it was read from
}

// weights names the weights that training left by their SHA-256; "" where there are none.
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

// weightsEnd ends the names of files of weights.
const weightsEnd = ".safetensors"

// ofTrial are the names at the top of a folder that hold what a complete trial says.
// How fast it was trained is not among them: it tells of one machine and one day.
var ofTrial = []string{ScoresFile, SettingsFile, ProvenanceFile, TrialFile, CurveFile, ValidationFile, EvaluationsFile, ProbeFile,
	RunsDir, askedDir, queriesDir, judgmentsDir, ModelDir, AdapterDir}

// Names lists what a trial or an evaluation writes at the top of its folder.
func Names() []string {
	return slices.Concat(ofTrial, []string{SpeedFile, FailureFile, HaltFile, DoneFile, trainedFile})
}

// trainingLeaves are those of a training by itself.
var trainingLeaves = []string{TrialFile, CurveFile, ValidationFile, EvaluationsFile, ModelDir, AdapterDir}

// Write marks the folder as complete. Nothing may be written to it after; the checkpoint
// is not part of it and may be removed.
func (m Marker) Write() error {
	names, err := m.at.names(m.of)
	names = slices.DeleteFunc(names, isNote)
	sums := map[string]string{}
	for i := 0; i < len(names) && err == nil; i++ {
		sums[names[i]], _, err = disk.SHA256(m.at.path(filepath.FromSlash(names[i])))
	}
	if err != nil {
		return fmt.Errorf("hash files of %s: %w", m.at.Dir, err)
	}
	return disk.WriteSealed(m.at.Files, m.path(), manifest{Files: sums})
}

func (m Marker) path() string { return m.at.path(m.file) }

// Exists reports whether the marker is there, whatever it says.
func (m Marker) Exists() (bool, error) { return disk.Exists(m.path()) }

// isNote says whether a file in the folder of a model is none that a model consists of:
// somebody's note, which he may change and take away.
func isNote(name string) bool {
	top, rest, below := strings.Cut(name, "/")
	if !below || top != ModelDir && top != AdapterDir {
		return false
	}
	base := rest[strings.LastIndexByte(rest, '/')+1:]
	return !slices.Contains([]string{".json", ".safetensors", ".model"}, filepath.Ext(base)) && !slices.Contains([]string{"vocab.txt", "merges.txt"}, base)
}

// ErrDamaged says that a complete trial folder no longer holds what it held
// when it was completed.
var ErrDamaged = errors.New("trial folder is damaged")

// Verify checks a trial folder against its completion marker. It returns
// fs.ErrNotExist where there is no marker, ErrDamaged where the marker cannot be
// understood or a file of the trial is missing or changed. Any other error says that
// the folder could not be read, and nothing of what it holds. What is bad is looked at
// twice: a disk or a file server that fails once has not damaged anything.
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

// holds compares every file that the manifest lists with it.
func (m manifest) holds() error {
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if err := m.check(name, read); err != nil {
			return err
		}
	}
	return nil
}

// check compares one file that the manifest lists with it.
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

// gone says whether an error means that a file is not there, or something else is in
// its place.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, disk.ErrIrregular)
}

// read parses the marker of a complete trial, which lists what every trial has.
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

// parse reads the marker, whatever it lists.
func (m Marker) parse() (d manifest, err error) {
	data, err := disk.ReadFile(m.path())
	if err != nil { // of a disk, or of memory that is short: what the file says is not known
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

// whole is read where every file is there that the marker lists.
func (m Marker) whole() (manifest, error) {
	d, err := m.read()
	if err != nil {
		return d, err
	}
	return d, d.lists()
}

// lists refuses a manifest that lists a file which is not there: a name in it was changed
// perhaps, and what it stood for would be missed in silence.
func (m manifest) lists() error {
	for name := range m.Files {
		if _, err := disk.Stat(m.at.path(filepath.FromSlash(name))); gone(err) {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, m.at.path(name))
		}
	}
	return nil
}

// Strays lists what lies in a complete folder and is not of the trial, by its
// slash-separated relative name, sorted: a folder of such by its own name.
func (m Marker) Strays() ([]string, error) {
	d, err := m.read()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{DoneFile: true, SpeedFile: true, FailureFile: true, CheckpointDir: true, vectorsDir: true}
	for name := range d.Files {
		for ; name != "."; name = pathDir(name) {
			known[name] = true
		}
	}
	var strays []string
	err = walk(m.at.Dir, "", func(name string, folder bool) bool {
		switch {
		case disk.IsTemporary(name):
			return false
		case known[name]:
			return folder && name != CheckpointDir && name != vectorsDir
		}
		strays = append(strays, name)
		return false
	})
	slices.Sort(strays)
	return strays, err
}

// circumstances are files that say how and where a trial was made: the same trial has
// others elsewhere.
var circumstances = []string{ProvenanceFile, SpeedFile}

// Differs lists the files in which another complete folder of the same trial differs,
// by what both markers say, except those that say how it was made.
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

// pathDir is the slash-separated parent of a relative name, "." at the top.
func pathDir(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return "."
}

// names lists the files at or below some names at the top of the folder, by
// slash-separated relative name, sorted. Hidden files, which editors, file servers and
// desktops leave, and what killed processes left half done are not among them.
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

// isHidden says whether a name is none that this program gives.
func isHidden(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~")
}

// walk visits what is in a folder by slash-separated names relative to it, and below
// those for which visit returns true. Links to folders, to another disk perhaps, count
// as folders.
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
