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

// LoadBenchmark loads a benchmark by name, or a collection by its folder or as ORG/NAME
// of the hub; of its tasks only those named, or all if none is.
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

// DropSelf keeps documents with a query's own ID out of its rankings, as --drop-self asks.
// The note says so where that changes nothing.
func DropSelf(b *datasets.Benchmark) (note string, err error) {
	if b.DropsSelf() {
		return "--drop-self changes nothing: " + b.Name + " is defined without the documents with a query's own ID", nil
	}
	if err := b.DropSelf(); err != nil || b.DropsSelf() {
		return "", err
	}
	return "--drop-self changes nothing: no query of " + b.Name + " has the ID of a document", nil
}

// CheckPublic is an error where the texts of a file, a folder or an imported collection are
// private. Whatever shows or writes texts asks it of each source that it reads.
func CheckPublic(name string) error {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return err
	}
	if f, ok := lock.Folder(name); ok {
		name = f.Path
	}
	if _, err := disk.Stat(name); err != nil {
		return nil // not of this machine; whoever opens it says so
	}
	private, err := datasets.IsPrivate(name)
	if err == nil && (private || lock.IsPrivate(name)) {
		err = datasets.ErrPrivate(name)
	}
	return err
}

// CheckPublicData is CheckPublic of each source of a mixture of training data.
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

// BenchmarkName is what results call the benchmark that LoadBenchmark loads by a name, which
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

// withImported is the error for an unknown benchmark with the names of what was imported,
// and where they stand.
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

// loadFolder loads a collection, which is private where data import registered it so;
// datasets.Load knows folders by a slash.
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

// loadImported loads a collection that was imported under a name. Hashing its files
// takes a small part of what opening does, which reads them from end to end.
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

// checkImported refuses files that are not those which were imported under a name.
func checkImported(f hub.LockedFolder) error {
	if err := f.Verify(); err != nil {
		return fmt.Errorf("%s changed since data import (%s); import it again, under another name to keep both: %w", f.Name, hub.LockFile, err)
	}
	return nil
}

// loadFetched loads a collection of the hub that was fetched.
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

// checkCollection returns the name by which a benchmark is kept that experiment files
// may name: one of infbench's, one that data import registered, a folder of a known
// layout, or ORG/NAME of the hub, which need not have been fetched yet.
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

// folderNear is the folder of this folder whose name comes nearest; none where none is near.
func folderNear(name string) (near []string) {
	entries, err := disk.ReadDir(".")
	if err != nil {
		return nil // nothing can be suggested
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

// checkTask refuses a name that no task and no group of tasks of a benchmark has. Of
// one whose tasks only its files tell nothing is refused before they are read.
func checkTask(name, task string) error {
	known, whole := datasets.TaskNames(name)
	of, _, split := strings.Cut(task, "/")
	if slices.Contains(known, task) || !whole && (known == nil || split && slices.Contains(known, of)) {
		return nil
	}
	return nearest.Unknown("task", task, known)
}

// LoadPinned loads the benchmarks of a trial and refuses any that is not what
// the plan was made with.
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

// CheckBenchmark refuses a benchmark that is not what the plan was made with.
func CheckBenchmark(t *spec.Trial, name string, b *datasets.Benchmark) error {
	revision, err := benchmarkRevision(b)
	if err != nil {
		return err
	}
	return checkRevision(t, name, revision)
}

// Repositories lists what the benchmark or training corpus of a name is read
// from; a name may be that of a dataset of the hub.
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

// WithCorpora is the error for an unknown benchmark where a training corpus would do
// too.
func WithCorpora(err error) error {
	var unknown *nearest.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	return nearest.Unknown("benchmark or corpus", unknown.Name, append(slices.Clone(unknown.Known), Corpora()...))
}

// FilesOf lists the repositories of a benchmark or training corpus and tells which of
// their files the named tasks are read from; nil for all.
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
