package catalog

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners/spec"
)

// LoadBenchmark loads a benchmark by name, or a collection by its folder or as ORG/NAME of the
// hub. It loads only the named tasks, or all if none is named.
func LoadBenchmark(name string, world uint64, tasks ...string) (*datasets.Benchmark, error) {
	if info, err := disk.Stat(name); err == nil && info.IsDir() {
		return loadFolder(name, tasks)
	} else if repo, ok := isHubDataset(name); ok {
		return loadFetched(repo, tasks)
	} else if usage.IsPath(name) {
		return nil, fmt.Errorf("open collection: %w", err)
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return nil, err
	}
	if f, ok := lock.Folder(name); ok {
		return loadImported(f, tasks)
	}
	b, err := datasets.Load(name, datasets.Options{World: world, Tasks: tasks})
	if part, ok := errors.AsType[*datasets.UnfetchedError](err); ok {
		return nil, notFetched(name, part.Tasks...)
	}
	return b, withImported(err, lock)
}

// DropSelf excludes documents with a query's own ID from its ranking, for --drop-self. The note
// reports if that changes nothing.
func DropSelf(b *datasets.Benchmark) (note string, err error) {
	if b.DropsSelf() {
		return "--drop-self changes nothing: " + b.Name + " is defined without the documents with a query's own ID", nil
	}
	if err := b.DropSelf(); err != nil || b.DropsSelf() {
		return "", err
	}
	return "--drop-self changes nothing: no query of " + b.Name + " has the ID of a document", nil
}

// CheckPublic returns an error if the texts of a file, a folder or an imported collection are
// private. Code that shows or writes texts calls it for each source.
func CheckPublic(name string) error {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return err
	}
	if f, ok := lock.Folder(name); ok {
		name = f.Path
	}
	if _, err := disk.Stat(name); err != nil {
		return nil // not on this machine; opening it reports that
	}
	private, err := datasets.IsPrivate(name)
	if err == nil && (private || lock.IsPrivate(name)) {
		err = datasets.ErrPrivate(name)
	}
	return err
}

// CheckPublicData calls CheckPublic for each source of a mixture of training data.
func CheckPublicData(text string) error {
	m, err := mixture.Parse(text)
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range m {
		errs = append(errs, CheckPublic(s.Name))
	}
	return errors.Join(errs...)
}

// BenchmarkName is the name in results of the benchmark that LoadBenchmark loads by a name. It
// need not be here.
func BenchmarkName(name string) string {
	info, err := disk.Stat(name)
	if err == nil && info.IsDir() {
		return datasets.FolderName(name)
	}
	if repo, ok := isHubDataset(name); ok {
		return repo.ID
	}
	if usage.IsPath(name) {
		return datasets.FolderName(name)
	}
	return name
}

// withImported adds the names of imported collections, and the lock file that has them, to the
// error for an unknown benchmark.
func withImported(err error, lock *hub.Lock) error {
	var unknown *nearest.UnknownError
	if len(lock.Folders) == 0 || !errors.As(err, &unknown) || unknown.Kind != "benchmark" {
		return err
	}
	var names []string
	for _, f := range lock.Folders {
		names = append(names, f.Name)
	}
	return fmt.Errorf("%w; %s has %s", nearest.Unknown(unknown.Kind, unknown.Name, append(names, unknown.Known...)),
		hub.LockFile, strings.Join(names, ", "))
}

// loadFolder loads a collection. It is private if data import registered it so. datasets.Load
// recognises folders by a slash.
func loadFolder(dir string, tasks []string) (*datasets.Benchmark, error) {
	if !usage.IsPath(dir) || dir == "." || dir == ".." {
		dir = "./" + dir
	}
	b, err := datasets.Load(dir, datasets.Options{Tasks: tasks})
	if err != nil {
		return nil, err
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return nil, err
	}
	if lock.IsPrivate(dir) {
		b.Conceal()
	}
	b.Folder, err = disk.Twice(func() (string, error) { return filepath.Abs(dir) })
	return b, err
}

// loadImported loads an imported collection by its name. Hashing its files takes only a small
// part of the time of opening it, which reads them completely.
func loadImported(f hub.LockedFolder, tasks []string) (*datasets.Benchmark, error) {
	if err := checkImported(f); err != nil {
		return nil, err
	}
	b, err := loadFolder(f.Path, tasks)
	if err != nil {
		return nil, err
	}
	b.Name = f.Name
	if f.Private {
		b.Conceal()
	}
	if f.DropSelf {
		return b, b.DropSelf()
	}
	return b, nil
}

// checkImported returns an error if the files have changed since they were imported.
func checkImported(f hub.LockedFolder) error {
	if err := f.Verify(); err != nil {
		return fmt.Errorf("%s changed since data import (%s); import it again, under another name to keep both: %w", f.Name, hub.LockFile, err)
	}
	return nil
}

// loadFetched loads a fetched collection of the hub.
func loadFetched(repo hub.Repo, tasks []string) (*datasets.Benchmark, error) {
	dir, commit, err := locate(repo)
	if err != nil {
		return nil, absentOr(err, notFetched(repo.ID))
	}
	b, err := datasets.Load(dir, datasets.Options{Tasks: tasks})
	if err != nil {
		return nil, err
	}
	b.Name, b.Revision, b.Source = repo.ID, commit, repo.ID+" of the hub"
	if datasets.IsPrivateRepository(repo.ID) {
		b.Conceal()
	}
	if datasets.RepositoryDropsSelf(repo.ID) {
		return b, b.DropSelf()
	}
	return b, nil
}

// checkCollection returns the canonical name of a benchmark in experiment files: one of
// infbench's, an imported one, a folder of a known layout, or ORG/NAME of the hub, which need
// not have been fetched yet.
func checkCollection(name string) (string, error) {
	if slices.Contains(datasets.Names(), name) {
		return name, nil
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return "", err
	}
	if _, ok := lock.Folder(name); ok {
		return name, nil
	}
	if info, err := disk.Stat(name); err == nil && info.IsDir() {
		_, err := datasets.OpenFolder(pathName(name))
		return pathName(name), err
	}
	if _, ok := HubDataset(name); ok {
		return name, nil
	}
	if usage.IsPath(name) {
		return "", noSuch("collection", name)
	}
	if err := datasets.NotPublic(name); err != nil {
		return "", err
	}
	known := datasets.Names()
	for _, f := range lock.Folders {
		known = append(known, f.Name)
	}
	return "", nearest.Unknown("benchmark", name, slices.Concat(folderNear(name), known, []string{"a folder in BEIR, mteb or TREC layout", "ORG/NAME of the hub"}))
}

// folderNear returns the entry of the current folder with the nearest name; none if none is
// near.
func folderNear(name string) (near []string) {
	entries, err := disk.ReadDir(".")
	if err != nil {
		return nil // no suggestion is possible
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			near = append(near, e.Name())
		}
	}
	found, ok := nearest.Of(name, near)
	if !ok {
		return nil
	}
	return []string{found}
}

// checkTask returns an error for a name that is neither a task nor a group of tasks of a
// benchmark. If only the benchmark's files have its tasks, it returns none before they are
// read.
func checkTask(name, task string) error {
	known, whole := datasets.TaskNames(name)
	of, _, split := strings.Cut(task, "/")
	if slices.Contains(known, task) || !whole && (known == nil || split && slices.Contains(known, of)) {
		return nil
	}
	return nearest.Unknown("task", task, known)
}

// LoadPinned loads the benchmarks of a trial. It is an error if one has changed since the plan
// was made.
func LoadPinned(t *spec.Trial) ([]*datasets.Benchmark, error) {
	if err := CheckContents(t); err != nil {
		return nil, err
	}
	var out []*datasets.Benchmark
	for _, entry := range t.Evaluate {
		name, tasks := spec.TasksOf(entry)
		b, err := LoadBenchmark(name, t.Cell.World, tasks...)
		if err != nil {
			return nil, fmt.Errorf("load benchmark %s: %w", name, err)
		}
		if err := CheckBenchmark(t, name, b); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// CheckBenchmark returns an error if a benchmark has changed since the plan was made.
func CheckBenchmark(t *spec.Trial, name string, b *datasets.Benchmark) error {
	revision, err := benchmarkRevision(b)
	if err != nil {
		return err
	}
	return checkRevision(t, name, revision)
}

// Repositories lists the repositories of a benchmark or training corpus; the name may also be a
// dataset of the hub.
func Repositories(name string) ([]datasets.Repo, error) {
	if s, err := datasets.FindTraining(name); err == nil {
		return []datasets.Repo{s.Repo}, nil
	}
	if repo, ok := isHubDataset(name); ok {
		return []datasets.Repo{{ID: repo.ID, Revision: repo.Revision}}, nil
	}
	s, err := datasets.FindSource(name)
	if err != nil {
		return nil, usage.Error{Err: WithCorpora(err)}
	}
	return s.Repos, nil
}

// WithCorpora is the error for an unknown name where a benchmark or a training corpus is valid.
func WithCorpora(err error) error {
	var unknown *nearest.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	return nearest.Unknown("benchmark or corpus", unknown.Name, append(slices.Clone(unknown.Known), Corpora()...))
}

// FilesOf lists the repositories of a benchmark or training corpus. wanted reports whether a
// file belongs to the named tasks; nil: all files.
func FilesOf(name string, tasks []string) (repos []datasets.Repo, wanted func(file string) bool, err error) {
	if repos, err = Repositories(name); err != nil || len(tasks) == 0 {
		return repos, nil, err
	}
	s, err := datasets.FindSource(name)
	if err != nil {
		return nil, nil, usage.Errorf("%s is a training corpus: it has no tasks", name)
	}
	if wanted, err = s.Wanted(tasks); err != nil {
		err = usage.Error{Err: err}
	}
	return repos, wanted, err
}
