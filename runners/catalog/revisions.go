package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// Revisions remembers what resolving costs time: generating a world to hash it.
type Revisions map[string]string

// Resolve finds what pins a corpus or benchmark in a world, or a backbone.
func (r Revisions) Resolve(name string, world uint64) (string, error) {
	key := revisionKey(name, world)
	if rev, ok := r[key]; ok {
		return rev, nil
	}
	rev, err := revisionOf(name, world)
	if err == nil {
		r[key] = rev
	}
	return rev, err
}

func revisionKey(name string, world uint64) string { return fmt.Sprint(name, "@", world) }

// revisionOf does what resolve remembers.
func revisionOf(name string, world uint64) (string, error) {
	if backbone, ok := strings.CutPrefix(name, spec.BackboneInput); ok {
		return backboneRevision(backbone)
	}
	if source, ok := strings.CutPrefix(name, spec.DataInput); ok {
		return sourceRevision(source, world)
	}
	if asked, ok := strings.CutPrefix(name, spec.RepeatsInput); ok {
		return repeats(asked, world)
	}
	if model, ok := strings.CutPrefix(name, spec.ModelInput); ok {
		return modelRevision(model)
	}
	if backbone, ok := strings.CutPrefix(name, spec.SimilarityInput); ok {
		return backboneSimilarity(backbone)
	}
	if model, ok := strings.CutPrefix(name, spec.PooledInput); ok {
		return pooledRevision(model)
	}
	if model, ok := strings.CutPrefix(name, spec.CardInput); ok {
		return cardRevision(model)
	}
	if remote, ok := strings.CutPrefix(name, spec.RemoteInput); ok {
		return remoteRevision(remote)
	}
	if language, ok := strings.CutPrefix(name, spec.ChatInput); ok {
		return chatRevision(language)
	}
	name, tasks := spec.TasksOf(name)
	if err := checkFetched(name, tasks...); err != nil {
		return "", err
	}
	b, err := LoadBenchmark(name, world, tasks...)
	if err != nil {
		return "", err
	}
	return benchmarkRevision(b)
}

// checkFetched is an error where a data set that is read from the hub cache is not
// there; tasks are those of it that are asked for, nil for all.
func checkFetched(name string, tasks ...string) error {
	repos, err := Repositories(name)
	if err != nil {
		return nil // no data set of the hub
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return err
	}
	if _, ok := lock.Folder(name); ok {
		return nil
	}
	for _, r := range repos {
		if _, _, err := locate(hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision}); err != nil {
			return absentOr(err, notFetched(name, tasks...))
		}
	}
	return nil
}

// benchmarkRevision pins a benchmark: as it says itself, a folder by its content, else by
// the commits that its repositories were fetched at; by what of it is there, where that is a part; and by
// whether queries do not rank the documents with their own IDs, which earlier builds did.
func benchmarkRevision(b *datasets.Benchmark) (string, error) {
	pins, err := benchmarkPins(b)
	if err == nil && b.Part != "" {
		pins += ", " + b.Part
	}
	if err == nil && b.DropsSelf() {
		pins += ", own documents dropped"
	}
	return pins, err
}

func benchmarkPins(b *datasets.Benchmark) (string, error) {
	if b.Folder != "" && b.Revision == "" {
		return contentRevision(b)
	}
	if !strings.Contains(b.Revision, "unpinned") {
		return b.Revision, nil
	}
	repos, err := Repositories(b.Name)
	if err != nil {
		return b.Revision, nil
	}
	var commits []string
	for _, r := range repos {
		_, commit, err := locate(hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision})
		if err != nil {
			return "", err
		}
		commits = append(commits, commit)
	}
	return strings.Join(commits, ", "), nil
}

// contentRevision pins a collection of one's own by what is read of it.
func contentRevision(b *datasets.Benchmark) (string, error) {
	tasks, err := datasets.HashContents(b)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(tasks) // sorted by task
	return "sha256:" + disk.Sum(string(text)), err
}

// lockedCommit is the commit at which the repository of a corpus was fetched.
func lockedCommit(name string, r datasets.Repo) (string, error) {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return "", err
	}
	locked, ok := lock.Find(hub.Repo{Kind: hub.Dataset, ID: r.ID})
	if !ok {
		return "", notFetched(name)
	}
	return locked.Commit, nil
}

// notFetched is a data set that is not there, or tasks of it, which are fetched by
// themselves where they can be.
func notFetched(name string, tasks ...string) absent {
	a := absent{what: "data set " + name, get: "infbench data fetch " + name}
	if _, _, err := FilesOf(name, tasks); err != nil || len(tasks) == 0 {
		return a
	}
	a.what += " (" + strings.Join(tasks, ", ") + ")"
	for _, task := range tasks {
		a.get += " --task " + usage.Quote(task)
	}
	return a
}

// checkRevision refuses data that is not what the plan was made with.
func checkRevision(t *spec.Trial, name, revision string) error {
	for _, r := range t.Revisions {
		if r.Name == name && r.Revision != revision {
			return fmt.Errorf("%s is at revision %s, the plan was made with %s; plan again", name, revision, r.Revision)
		}
	}
	return nil
}

// backboneRevision pins the weights of a backbone: by the commit of a model of the
// hub, by the hash of a folder's files; "" for a network that infbench makes, which
// the cell describes in full.
func backboneRevision(name string) (string, error) {
	folder, err := BackboneFolder(name)
	if err != nil || folder == "" {
		return "", err
	}
	_, commit := spec.Snapshot(disk.RealPath(folder))
	if folder != name {
		commit = filepath.Base(folder) // snapshots are named by their commit
	}
	if commit != "" {
		return commit, nil
	}
	return HashModelFiles(folder)
}

// backboneSimilarity is how a backbone's folder says that its vectors are compared; ""
// is by cosine, also where the folder is not here, which is said of the backbone. A card
// has no say: an untrained cell keeps the design of the trained ones.
func backboneSimilarity(name string) (string, error) {
	folder, err := BackboneFolder(name)
	if err != nil || folder == "" {
		return "", nil
	}
	said, err := encoder.FolderSimilarity(folder)
	if err != nil {
		return "", err
	}
	kind, err := runners.ParseSimilarity(said)
	if err != nil {
		return "", fmt.Errorf("backbone %s: %w", name, err)
	}
	if kind == runners.Cosine {
		return "", nil
	}
	return string(kind), nil
}

// pooledRevision tells apart the inner products of a model that normalises its vectors, which earlier
// builds took of vectors of length 1; "" of other models, and where the model is not here,
// which is said of the model itself.
func pooledRevision(name string) (string, error) {
	w, err := namedWeights(name)
	if err != nil {
		return "", nil
	}
	path := w.path
	if w.base != nil { // of which the adapter says no more
		path = w.base.path
	}
	found, err := w.card.Inspect(path)
	if err != nil || !found.Normalize {
		return "", nil
	}
	return "not normalised", nil
}

// CheckWeights refuses a backbone or model that is not what the plan was made with, and
// one whose card says something else now.
func CheckWeights(t *spec.Trial) error {
	for _, r := range t.Revisions {
		if !slices.ContainsFunc([]string{spec.BackboneInput, spec.ModelInput, spec.CardInput}, func(kind string) bool { return strings.HasPrefix(r.Name, kind) }) || isAsked(&t.Cell) {
			continue
		}
		now, err := revisionOf(r.Name, 0)
		if err != nil {
			return err
		}
		if err := checkRevision(t, r.Name, now); err != nil {
			return err
		}
	}
	return nil
}

// isAsked reports whether what a trial pins is not a file but what a model is asked.
func isAsked(c *spec.Cell) bool {
	return c.Model == remoteModel || c.Model == chatModel
}

// absent is something that an experiment names and that is not on this machine.
type absent struct{ what, get string }

func (a absent) Error() string { return fmt.Sprintf("%s is not on this machine: %s", a.what, a.get) }
func (a absent) Unwrap() error { return fs.ErrNotExist }

// absentOr is that something is absent, unless err says that it is there and damaged.
func absentOr(err error, gap absent) error {
	if errors.Is(err, hub.ErrDamaged) {
		return err
	}
	return gap
}

// Gaps resolves as revisions does, but goes on where something is absent.
type Gaps struct {
	Found   Revisions
	missing []absent
}

// Resolve is a spec.Resolver.
func (g *Gaps) Resolve(name string, world uint64) (string, error) {
	rev, err := g.Found.Resolve(name, world)
	var gap absent
	if !errors.As(err, &gap) {
		return rev, err
	}
	g.missing = append(g.missing, gap)
	g.Found[revisionKey(name, world)] = spec.Absent
	return spec.Absent, nil
}

// Of lists what is absent of all that trials read, each with the command that gets it.
func (g *Gaps) Of(trials []spec.Trial) []error {
	again := Gaps{Found: maps.Clone(g.Found)}
	maps.DeleteFunc(again.Found, func(_, revision string) bool { return revision == spec.Absent })
	var all []error
	for i := range trials {
		if !trials[i].IsResolved() {
			if err := trials[i].Resolve(again.Resolve); err != nil {
				all = append(all, err)
			}
		}
	}
	for _, gap := range again.missing {
		all = append(all, gap)
	}
	return all
}
