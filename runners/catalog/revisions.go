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

// Revisions caches revisions that take time to resolve, such as the hash of a generated world.
type Revisions map[string]string

// Resolve returns the revision of a corpus or benchmark in a world, or of a backbone.
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

// revisionOf is Resolve without the cache.
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

// checkFetched returns an error if a data set is read from the hub cache but is not in it;
// tasks are the requested tasks, nil for all.
func checkFetched(name string, tasks ...string) error {
	repos, err := Repositories(name)
	if err != nil {
		return nil // not a data set of the hub
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

// benchmarkRevision pins a benchmark: by its own revision; a folder by its content; others by
// the commits at which their repositories were fetched. It also contains the present part, if
// that is not all, and whether queries do not rank the documents with their own IDs, as earlier
// builds did.
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

// contentRevision pins a user's collection by the content that is read.
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

// notFetched is the error for a missing data set, or for missing tasks that can be fetched
// separately.
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

// checkRevision returns an error if data have changed since the plan was made.
func checkRevision(t *spec.Trial, name, revision string) error {
	for _, r := range t.Revisions {
		if r.Name == name && r.Revision != revision {
			return fmt.Errorf("%s is at revision %s, but the plan was made with %s; plan again", name, revision, r.Revision)
		}
	}
	return nil
}

// backboneRevision pins the weights of a backbone: by the commit of a model of the hub, or by
// the hash of a folder's files; "" for a network that infbench makes, which the cell describes
// completely.
func backboneRevision(name string) (string, error) {
	folder, err := BackboneFolder(name)
	if err != nil || folder == "" {
		return "", err
	}
	_, commit := spec.Snapshot(disk.RealPath(folder))
	if folder != name {
		commit = filepath.Base(folder) // the name of a snapshot is its commit
	}
	if commit != "" {
		return commit, nil
	}
	return HashModelFiles(folder)
}

// backboneSimilarity is the similarity in a backbone's folder; "" means cosine, also if the
// folder is not here, which is reported for the backbone. A card is ignored: an untrained cell
// keeps the design of the trained ones.
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

// pooledRevision identifies the inner products of a model that normalises its vectors; earlier
// builds used vectors of length 1. It is "" for other models, and if the model is not here,
// which is reported for the model itself.
func pooledRevision(name string) (string, error) {
	w, err := namedWeights(name)
	if err != nil {
		return "", nil
	}
	path := w.path
	if w.base != nil { // the adapter has no setting for it
		path = w.base.path
	}
	found, err := w.card.Inspect(path)
	if err != nil || !found.Normalize {
		return "", nil
	}
	return "not normalised", nil
}

// CheckWeights returns an error if a backbone or model, or its card, has changed since the plan
// was made.
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

// isAsked reports whether a trial pins the requests to a model instead of files.
func isAsked(c *spec.Cell) bool {
	return c.Model == remoteModel || c.Model == chatModel
}

// absent is the error for something that an experiment names but that is not on this machine.
type absent struct{ what, get string }

func (a absent) Error() string { return fmt.Sprintf("%s is not on this machine: %s", a.what, a.get) }
func (a absent) Unwrap() error { return fs.ErrNotExist }

// absentOr returns gap, unless err means that the thing is here but damaged.
func absentOr(err error, gap absent) error {
	if errors.Is(err, hub.ErrDamaged) {
		return err
	}
	return gap
}

// Gaps resolves like Revisions, but continues if something is absent.
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

// Missing lists everything that trials read but that is absent, each with the command that fetches
// it.
func (g *Gaps) Missing(trials []spec.Trial) []error {
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
