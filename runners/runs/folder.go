// Package runs knows the run folder, which a sweep, an evaluation or an import leaves behind:
// every name in it, how all three are read alike, which configuration its held-out queries
// select, and how far a sweep is (Watch). Package results knows what is in the folder of one
// trial. Nothing is trained, scored or started here.
package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

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
	ImportFile  = "import.json" // stands where sweep has a plan: it lists the trials that are there
	TrialsDir   = "trials"
	ReportFile  = "report.html"
	CacheDir    = "cache"
	ProgressDir = "progress"
	leasesDir   = "leases"
	weightsDir  = "weights"
	logsDir     = "logs"
	autotuneDir = "autotune"
)

// Kept lists what of a run folder is written once and read from then on: a report may be
// made again, nothing of these.
func Kept() []string { return append(results.Names(), PlanFile, ImportFile, TrialsDir) }

// top is where run folders and what is kept beside them lie unless another place is
// named.
const top = "runs"

// Folder is a run folder: a directory and the file system that it is written
// through.
type Folder struct {
	Dir   string
	Files disk.FS
}

// At is a folder that is written as usual.
func At(dir string) Folder { return Folder{dir, disk.OS{}} }

// Trial is the folder of a trial, or of what else a job is of: a shard of one.
func (f Folder) Trial(job string) results.Folder {
	id, shard := ParseJob(job)
	at := results.Folder{Dir: filepath.Join(f.path(TrialsDir), id), Files: f.Files}
	if shard.Of > 0 {
		return at.Shards().Folder(shard)
	}
	return at
}

// Report is where the report of a sweep lies.
func (f Folder) Report() string { return f.path(ReportFile) }

// Cache is where vectors of models lie that no trial trains.
func (f Folder) Cache() string { return f.path(CacheDir) }

// Autotuned is where XLA keeps which kernels it found to be fast on a card, so that trials
// neither try them again nor choose others.
func (f Folder) Autotuned() string { return f.path(autotuneDir) }

// Logs is where what trials print lies.
func (f Folder) Logs() string { return f.path(logsDir) }

// Log is where what a trial prints lies.
func (f Folder) Log(id string) string { return filepath.Join(f.Logs(), id+".log") }

// Leases are the claims on the trials of a run.
func (f Folder) Leases() engine.Leases { return engine.Leases{Dir: f.path(leasesDir)} }

// Mark changes what the folder of a trial says of it, as whoever runs trials does but is
// none of their processes: under a lease of its own, and engine.ErrBusy where another
// process has the trial.
func (f Folder) Mark(w *engine.Watch, id string, change func(results.Folder) error) error {
	lease, err := w.Take(id)
	if err != nil {
		return fmt.Errorf("trial %s: %w", id, err)
	}
	f.Files = lease.Fence(f.Files)
	return errors.Join(change(f.Trial(id)), lease.Release())
}

// PlanPath is where the plan of a sweep lies.
func (f Folder) PlanPath() string { return f.path(PlanFile) }

// Plan reads the frozen plan. A folder that has none is wrong usage, and the run
// folders beside it are named; so is one of imported results.
func (f Folder) Plan() (*spec.Plan, error) {
	if err := f.isFolder(); err != nil {
		return nil, err
	}
	plan, err := spec.ReadPlan(f.PlanPath())
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return plan, err
	}
	if f.IsImport() {
		return nil, usage.Errorf("%s holds imported results: nothing of it was planned or can be run; see infbench report %s", f.Dir, f.Dir)
	}
	known := f.neighbours()
	if len(known) == 0 {
		return nil, usage.Errorf("%s is no run folder (infbench sweep makes one): %w", f.Dir, err)
	}
	return nil, usage.Errorf("%w: %s is not there", nearest.Unknown("run folder", filepath.Clean(f.Dir), known), f.PlanPath())
}

// isFolder refuses a file in the place of a run folder.
func (f Folder) isFolder() error {
	if info, err := disk.Stat(f.Dir); err == nil && !info.IsDir() {
		return usage.Errorf("%s is no run folder: it is a file", f.Dir)
	}
	return nil
}

// nearest suggests the run folder that comes nearest to a name, and lists those below runs.
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

// unjoined says that an evaluation in the folder lacks shards; "" where it does not.
func (f Folder) unjoined() string {
	shards, err := results.At(f.Dir).Shards().Held()
	if shards == "" || err != nil {
		return ""
	}
	return fmt.Sprintf("; it has shards of an evaluation that are not joined (%s): evaluate with --shards again", shards)
}

// neighbours lists the run folders in the folder, beside it and below runs.
func (f Folder) neighbours() []string {
	var known []string
	for _, pattern := range []string{f.path("*"), filepath.Join(filepath.Dir(filepath.Clean(f.Dir)), "*"), filepath.Join(top, "*")} {
		plans, err := filepath.Glob(filepath.Join(pattern, PlanFile))
		if err != nil {
			continue // a name with [ in it is no pattern
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

// isRun reports whether a sweep, an import or an evaluation wrote into the folder.
func (f Folder) isRun() bool {
	return exists(f.PlanPath()) || f.IsImport() || exists(filepath.Join(f.Dir, results.DoneFile))
}

// StayStopped says whether a trial was stopped as hopeless and the plan still asks
// for that. Where it does not, the mark goes, and the trial goes on from its
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

// exists says whether a path leads to anything, also where that cannot be known: whoever
// reads it is told why.
func exists(path string) bool {
	there, err := disk.Exists(path)
	return there || err != nil
}

// Names lists the run folders below runs/: those that sweep, evaluate, probe and import
// made.
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

// hasScores says whether numbers are in the folder, or in those of its trials.
func (f Folder) hasScores() bool {
	return exists(f.PlanPath()) || f.IsImport() || exists(f.path(results.ScoresFile))
}

// Below lists what may be meant by the beginning of a run folder's name: the run folders
// below runs/, and those in the folder that is named so far. It reads no plan.
func Below(typed string) []string {
	found, _ := within(top, kept) // what cannot be read is not offered
	if typed != "" {
		named, _ := within(filepath.Dir(typed+"x"), 1)
		found = append(found, named...)
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(dir string) bool { return !strings.HasPrefix(dir, typed) })
}

// NamedOrAll returns the folders that were named, or all below runs/.
func NamedOrAll(dirs []string) ([]string, error) {
	if len(dirs) > 0 {
		return dirs, nil
	}
	return Names()
}

// kept is how deep run folders lie in the folder of all: runs/NAME, runs/KIND/NAME.
const kept = 2

// Within replaces each folder that is no run folder by those in it, as deep as runs are
// kept.
func Within(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		found, err := within(name, kept)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s is no run folder and holds none%s", name, At(name).unjoined())
		}
		out = append(out, found...)
	}
	return out, nil
}

// within lists the run folders at most so many levels below a folder, or itself.
func within(name string, levels int) (out []string, err error) {
	if At(name).isRun() {
		return []string{name}, nil
	}
	entries, err := disk.ReadDir(name)
	if err != nil || levels == 0 {
		return nil, err
	}
	for _, e := range entries {
		if results.IsShards(e.Name()) {
			continue // parts of an evaluation, no runs
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

// isFolder says whether a path leads to a folder, by a link perhaps.
func isFolder(path string) bool {
	info, err := disk.Stat(path)
	return err == nil && info.IsDir()
}

// In is the folder of a run, or of what else is kept of some kind, unless another
// is named: runs/KIND/NAME or runs/NAME.
func In(names ...string) string { return filepath.Join(append([]string{top}, names...)...) }
