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

// marker is the completion marker: the SHA-256 of every file of the trial, written
// last and sealed. What else lies in the folder is not of the trial: nobody reads it, and
// nobody removes it.
type marker struct {
	Files map[string]string `json:"files"`

	sum string // SHA-256 of the file that it was read from
}

// weights names the weights that training left by their SHA-256; "" where there are none.
func (m marker) weights() string {
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

// Finish marks a trial folder as complete. Nothing may be written to it after;
// the checkpoint is no part of it and may be removed.
func (f Folder) Finish() error { return f.mark(DoneFile, ofTrial) }

// mark writes a marker of what lies at or below some names.
func (f Folder) mark(file string, of []string) error {
	names, err := f.names(of)
	names = slices.DeleteFunc(names, isNote)
	sums := map[string]string{}
	for i := 0; i < len(names) && err == nil; i++ {
		sums[names[i]], _, err = disk.SHA256(f.path(filepath.FromSlash(names[i])))
	}
	if err != nil {
		return fmt.Errorf("hash files of %s: %w", f.Dir, err)
	}
	return disk.WriteSealed(f.Files, f.path(file), marker{Files: sums})
}

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
func (f Folder) Verify() error {
	err := f.verify()
	if err != nil && f.HasBegun() {
		err = f.verify()
	}
	return err
}

func (f Folder) verify() error {
	want, err := f.done()
	if err != nil {
		return err
	}
	return f.holds(want)
}

// holds compares every file that a marker lists with it.
func (f Folder) holds(want marker) error {
	for _, name := range slices.Sorted(maps.Keys(want.Files)) {
		if err := f.check(want, name, read); err != nil {
			return err
		}
	}
	return nil
}

// gone says whether an error means that a file is not there, or something else is in
// its place.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, disk.ErrIrregular)
}

// done reads the completion marker.
func (f Folder) done() (marker, error) {
	d, err := f.marker(DoneFile)
	if err != nil {
		return d, err
	}
	for _, name := range []string{SettingsFile, ScoresFile, ProvenanceFile} {
		if d.Files[name] == "" {
			return d, fmt.Errorf("%w: %s does not list %s", ErrDamaged, f.path(DoneFile), name)
		}
	}
	return d, nil
}

// marker reads a marker.
func (f Folder) marker(file string) (d marker, err error) {
	data, err := disk.ReadFile(f.path(file))
	if err != nil { // of a disk, or of memory that is short: what the file says is not known
		return d, err
	}
	d.sum = sumOf(data)
	if err := disk.DecodeSealed(f.path(file), data, &d); err != nil {
		return d, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for name := range d.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return d, fmt.Errorf("%w: %s lists %q, which leads out of the folder", ErrDamaged, f.path(file), name)
		}
	}
	return d, nil
}

// whole is done where every file is there that the marker lists.
func (f Folder) whole() (marker, error) {
	d, err := f.done()
	if err != nil {
		return d, err
	}
	return d, f.lists(d)
}

// lists refuses a marker that lists a file which is not there: a name in it was changed
// perhaps, and what it stood for would be missed in silence.
func (f Folder) lists(d marker) error {
	for name := range d.Files {
		if _, err := disk.Stat(f.path(filepath.FromSlash(name))); gone(err) {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, f.path(name))
		}
	}
	return nil
}

// Strays lists what lies in a complete folder and is not of the trial, by its
// slash-separated relative name, sorted: a folder of such by its own name.
func (f Folder) Strays() ([]string, error) {
	d, err := f.done()
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
	err = walk(f.Dir, "", func(name string, folder bool) bool {
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
