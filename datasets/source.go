package datasets

import (
	"fmt"
	"path/filepath"
	"strings"

	"infbench/datasets/hub"
	"infbench/internal/disk"
)

// Repo is one dataset repository of the Hugging Face hub.
type Repo struct {
	ID       string // "mteb/Core17InstructionRetrieval"
	Revision string // the commit that the loader was written for; "" if unknown
}

// Folder returns the path of a repository in the data folder: root/org/name.
func (r Repo) Folder(root string) string {
	return filepath.Join(root, filepath.FromSlash(r.ID))
}

// locate finds a repository: its Folder if that exists, else its snapshot in the hub cache at root.
// An empty root is the default hub cache. If it is in neither, the error says to fetch it.
func (r Repo) locate(root string) (string, error) {
	if root != "" {
		if _, err := disk.Stat(r.Folder(root)); err == nil {
			return r.Folder(root), nil
		}
	}
	cache := root
	if cache == "" {
		var err error
		if cache, err = hub.DefaultCache(); err != nil {
			return "", err
		}
	}
	dir, _, err := (&hub.Client{Cache: cache}).Local(hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision})
	return dir, err
}

// Source describes a benchmark that can be opened by its name: its origin, licence and scoring.
type Source struct {
	Name     string
	About    string // one line
	Repos    []Repo
	Licence  string
	Citation string
	Measures []string // as reported by its authors, the main one first
	Protocol string   // requirements for a comparable run

	// Elsewhere is the source of the files of a suite outside the hub; users import them under its
	// name. It is "" if Repos has them.
	Elsewhere string

	// open reads the tasks that pick wants from the repositories below root.
	open func(root string, s *Source, pick *taskChoice) ([]Task, error)

	// filed lists the tasks if each has its own files; else nil.
	filed func() []filedTask
}

// benchmark opens the source below root.
func (s *Source) benchmark(root string, names []string) (*Benchmark, error) {
	pick := chooseTasks(names)
	tasks, err := s.open(root, s, pick)
	if err == nil {
		err = pick.Check()
	}
	if err == nil && len(pick.lacking) > 0 {
		err = &UnfetchedError{s.Name, pick.lacking}
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.Name, err)
	}
	b := &Benchmark{Name: s.Name, Licence: s.Licence, Citation: s.Citation, Part: pick.Part(), Tasks: tasks}
	if b.Part != "" && len(tasks) == 0 {
		return nil, fmt.Errorf("open %s: none of the tasks is here: %w", s.Name, &UnfetchedError{s.Name, names})
	}
	for i := range tasks {
		if b.Part != "" {
			tasks[i].Warnings = append(tasks[i].Warnings, s.Name+" was fetched in part, "+b.Part)
		}
	}
	var ids, revisions []string
	for _, r := range s.Repos {
		ids = append(ids, r.ID)
		revision := r.Revision
		if revision == "" {
			revision = "unpinned"
		}
		revisions = append(revisions, revision)
	}
	b.Source, b.Revision = strings.Join(ids, ", "), strings.Join(revisions, ", ")
	return b, nil
}

// openRepo opens one of the source's repositories.
func openRepo(root string, repo Repo) (*Repository, error) {
	dir, err := repo.locate(root)
	if err != nil {
		return nil, err
	}
	r, err := OpenRepository(dir)
	if err != nil {
		return nil, fmt.Errorf("repository %s: %w", repo.ID, err)
	}
	return r, nil
}
