// Package runs reads and writes run folders, the output of a sweep, an evaluation or an import.
// It defines every name in them, reads all three kinds in the same way, selects configurations
// by held-out queries, and reports the progress of a sweep (Watch). Package results covers the
// folder of one trial. Nothing is trained, scored or started here.
package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Names in a run folder.
const (
	PlanFile    = "plan.json"
	ImportFile  = "import.json" // replaces the plan of a sweep: it lists the trials
	TrialsDir   = "trials"
	ReportFile  = "report.html"
	CacheDir    = "cache"
	ProgressDir = "progress"
	leasesDir   = "leases"
	weightsDir  = "weights"
	logsDir     = "logs"
	autotuneDir = "autotune"
)

// Kept lists the content of a run folder that is written once and only read afterwards. It
// leaves out the report, which may be made again.
func Kept() []string { return append(results.Names(), PlanFile, ChangesFile, ImportFile, TrialsDir) }

// top is the default folder of run folders and of the data kept next to them.
const top = "runs"

// Folder is a run folder: a directory with the file system through which it is written.
type Folder struct {
	Dir   string
	Files disk.FS
}

// At returns a folder that is written through the operating system.
func At(dir string) Folder { return Folder{dir, disk.OS{}} }

// Trial returns the folder of a job: a trial, or a shard of one.
func (f Folder) Trial(job string) results.Folder {
	id, shard := ParseJob(job)
	at := results.Folder{Dir: filepath.Join(f.path(TrialsDir), id), Files: f.Files}
	if shard.Of > 0 {
		return at.Shards().Folder(shard)
	}
	return at
}

// Report returns the path of the sweep's report.
func (f Folder) Report() string { return f.path(ReportFile) }

// Cache returns the folder of vectors of models that no trial trains.
func (f Folder) Cache() string { return f.path(CacheDir) }

// Autotuned returns the folder in which XLA keeps the fastest kernels for a card, so that
// trials neither search again nor choose others.
func (f Folder) Autotuned() string { return f.path(autotuneDir) }

// Logs returns the folder of the trials' output.
func (f Folder) Logs() string { return f.path(logsDir) }

// Log returns the path of a trial's output.
func (f Folder) Log(id string) string { return filepath.Join(f.Logs(), id+".log") }

// Leases returns the claims on the trials of a run.
func (f Folder) Leases() engine.Leases { return engine.Leases{Dir: f.path(leasesDir)} }

// Mark changes the record in a trial's folder on behalf of a process that does not run the
// trial. It takes a lease for the change, and returns engine.ErrBusy if another process has the
// trial.
func (f Folder) Mark(w *engine.Watch, id string, change func(results.Folder) error) error {
	lease, err := w.Take(id)
	if err != nil {
		return fmt.Errorf("trial %s: %w", id, err)
	}
	f.Files = lease.Fence(f.Files)
	return errors.Join(change(f.Trial(id)), lease.Release())
}

// PlanPath returns the path of the sweep's plan.
func (f Folder) PlanPath() string { return f.path(PlanFile) }

// Plan reads the frozen plan. A folder without one is a usage error that names the run folders
// nearby. A folder of imported results is a usage error, too.
func (f Folder) Plan() (*spec.Plan, error) {
	if err := f.isFolder(); err != nil {
		return nil, err
	}
	plan, err := spec.ReadPlan(f.PlanPath())
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return plan, err
	}
	if f.IsImport() {
		return nil, usage.Errorf("%s contains imported results, which have no plan and cannot be run; see infbench report %s", f.Dir, f.Dir)
	}
	known := f.neighbours()
	if len(known) == 0 {
		return nil, usage.Errorf("%s is not a run folder (infbench sweep makes one): %w", f.Dir, err)
	}
	return nil, usage.Errorf("%w: %s is not there", nearest.Unknown("run folder", filepath.Clean(f.Dir), known), f.PlanPath())
}

// isFolder returns an error if a file is in the place of a run folder.
func (f Folder) isFolder() error {
	if info, err := disk.Stat(f.Dir); err == nil && !info.IsDir() {
		return usage.Errorf("%s is not a run folder: it is a file", f.Dir)
	}
	return nil
}

// nearest suggests the run folder whose name is closest, and lists those below runs.
func (f Folder) nearest() string {
	known, err := Names()
	if err != nil {
		return ""
	}
	hint := ""
	if near, ok := nearest.Of(filepath.Clean(f.Dir), known); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return hint + fmt.Sprintf(" (known: %s)", words.Listed(known))
}

// unjoined reports that an evaluation in the folder lacks shards, or returns "".
func (f Folder) unjoined() string {
	shards, err := results.At(f.Dir).Shards().Held()
	if shards == "" || err != nil {
		return ""
	}
	return fmt.Sprintf("; it has shards of an evaluation that are not joined (%s): evaluate with --shards again", shards)
}

// neighbours lists the run folders in the folder, next to it and below runs.
func (f Folder) neighbours() []string {
	var known []string
	for _, pattern := range []string{f.path("*"), filepath.Join(filepath.Dir(filepath.Clean(f.Dir)), "*"), filepath.Join(top, "*")} {
		plans, err := filepath.Glob(filepath.Join(pattern, PlanFile))
		if err != nil {
			continue // a name with [ in it is not a pattern
		}
		for _, plan := range plans {
			if run := filepath.Dir(plan); !slices.Contains(known, run) {
				known = append(known, run)
			}
		}
	}
	return known
}

// IsImport reports whether import made the folder.
func (f Folder) IsImport() bool { return exists(f.path(ImportFile)) }

// IsRun reports whether a sweep, an import or an evaluation wrote into the folder.
func (f Folder) IsRun() bool {
	return exists(f.PlanPath()) || f.IsImport() || exists(filepath.Join(f.Dir, results.DoneFile))
}

// StayStopped reports whether a trial was stopped as hopeless and the plan still asks for that.
// If the plan does not, StayStopped removes the mark, and the trial continues from its
// checkpoint.
func (f Folder) StayStopped(plan *spec.Plan, id string) (bool, error) {
	t := f.Trial(id)
	if !t.Halt().IsSet() {
		return false, nil
	}
	if plan.Stop.Given() {
		return true, nil
	}
	return false, t.Halt().Remove()
}

func (f Folder) path(name string) string { return filepath.Join(f.Dir, name) }

// exists reports whether a path exists. It returns true if that cannot be determined: reading
// the path then gives the reason.
func exists(path string) bool {
	there, err := disk.Exists(path)
	return there || err != nil
}

// Names lists the run folders below runs/, made by sweep, evaluate, probe and import.
func Names() ([]string, error) {
	found, err := within(top, kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dirs := slices.DeleteFunc(found, func(dir string) bool { return disk.IsTemporary(dir) || !At(dir).hasScores() })
	if len(dirs) == 0 {
		return nil, usage.Errorf("no run folder below runs/; name one")
	}
	return dirs, nil
}

// Newest returns the sweep below runs/ whose plan, trials, leases or reports of progress changed
// last.
func Newest() (string, error) {
	dirs, err := Names()
	if err != nil {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, dir := range dirs {
		if !exists(At(dir).PlanPath()) {
			continue
		}
		for _, name := range []string{PlanFile, TrialsDir, leasesDir, ProgressDir, logsDir} {
			if info, err := disk.Stat(filepath.Join(dir, name)); err == nil && info.ModTime().After(at) {
				newest, at = dir, info.ModTime()
			}
		}
	}
	if newest == "" {
		return "", usage.Errorf("no sweep below %s/ (there are %s); name a run folder", top, words.Listed(dirs))
	}
	return newest, nil
}

// hasScores reports whether the folder, or a trial's folder in it, contains scores.
func (f Folder) hasScores() bool {
	return exists(f.PlanPath()) || f.IsImport() || exists(f.path(results.ScoresFile))
}

// Below lists candidates for the beginning of a run folder's name: the run folders below runs/,
// and those in the folder that was typed so far. It does not read plans.
func Below(typed string) []string {
	found, _ := within(top, kept) // folders that cannot be read are not offered
	if typed != "" {
		named, _ := within(filepath.Dir(typed+"x"), 1)
		found = append(found, named...)
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(dir string) bool { return !strings.HasPrefix(dir, typed) })
}

// NamedOrAll returns the named folders, or all below runs/.
func NamedOrAll(dirs []string) ([]string, error) {
	if len(dirs) > 0 {
		return dirs, nil
	}
	return Names()
}

// kept is the depth of run folders in the top folder: runs/NAME, runs/KIND/NAME.
const kept = 2

// Within replaces each folder that is not a run folder by the run folders in it, down to the
// usual depth.
func Within(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		found, err := within(name, kept)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s is not a run folder and contains none%s", name, At(name).unjoined())
		}
		out = append(out, found...)
	}
	return out, nil
}

// within lists the run folders at most so many levels below a folder, or the folder itself.
func within(name string, levels int) (out []string, err error) {
	if At(name).IsRun() {
		return []string{name}, nil
	}
	entries, err := disk.ReadDir(name)
	if err != nil || levels == 0 {
		return nil, err
	}
	for _, e := range entries {
		if results.IsShards(e.Name()) {
			continue // parts of an evaluation, not runs
		}
		if dir := filepath.Join(name, e.Name()); isFolder(dir) {
			found, err := within(dir, levels-1)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	return out, nil
}

// isFolder reports whether a path, possibly through a link, is a folder.
func isFolder(path string) bool {
	info, err := disk.Stat(path)
	return err == nil && info.IsDir()
}

// In returns the default path of a run or of another kind of data: runs/KIND/NAME or runs/NAME.
func In(names ...string) string { return filepath.Join(append([]string{top}, names...)...) }
