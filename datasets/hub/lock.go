package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/strict"
)

// LockFile is the usual name of a lock file.
const LockFile = "infbench.lock"

// Lock pins fetched data: every repository with its commit and the SHA-256 of each file. It is
// written sorted, so that it diffs well.
type Lock struct {
	Repos   []LockedRepo      `json:"repositories"`
	Folders []LockedFolder    `json:"folders,omitempty"`
	Counts  map[string]Counts `json:"counts,omitempty"` // "benchmark/task" -> counts when it was fetched
}

// LockedFolder is a local folder registered under a name.
type LockedFolder struct {
	Name  string       `json:"name"`
	Path  string       `json:"path"`
	Files []LockedFile `json:"files"`

	Private bool   `json:"private,omitempty"` // its texts must never be shown or written: only IDs and numbers
	Sum     string `json:"sum"`               // entrySum of the other fields

	DropSelf bool `json:"drop_self,omitempty"` // no query ranks the document with its own ID
}

// Counts is the size of a task.
type Counts struct {
	Documents int `json:"documents"`
	Queries   int `json:"queries"`
	Judgments int `json:"judgments"`
}

// LockedRepo is one repository of a lock.
type LockedRepo struct {
	Kind     Kind         `json:"kind"`
	ID       string       `json:"id"`
	Revision string       `json:"revision"` // the requested revision
	Commit   string       `json:"commit"`   // the commit it resolved to
	Files    []LockedFile `json:"files"`
	Sum      string       `json:"sum"` // entrySum of the other fields
}

// entrySum is the SHA-256 of an entry's JSON. Each entry has its own sum, so that branches that
// each add entries can be merged.
func entrySum(entry any) string {
	text, err := json.Marshal(entry)
	if err != nil { // cannot fail for strings and numbers
		return ""
	}
	return disk.Sum(text)
}

func (f LockedFolder) sum() string {
	f.Sum = ""
	return entrySum(f)
}

func (r LockedRepo) sum() string {
	r.Sum = ""
	return entrySum(r)
}

// checkSums rejects an entry that was changed since it was written.
func (l *Lock) checkSums() error {
	for _, f := range l.Folders {
		if f.Sum != f.sum() {
			return fmt.Errorf("%w: the entry of %s was changed since data import wrote it; remove the entry and import it again", ErrDamaged, f.Name)
		}
	}
	for _, r := range l.Repos {
		if r.Sum != r.sum() {
			return fmt.Errorf("%w: the entry of %s was changed since it was fetched; remove the entry and fetch it again", ErrDamaged, r.ID)
		}
	}
	return nil
}

// LockedFile is one file of a locked repository.
type LockedFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// ReadLock reads a lock file; a missing one is an empty lock.
func ReadLock(path string) (*Lock, error) {
	data, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lock: %w", err)
	}
	var l Lock
	if err := strict.Object(path, data, &l); err != nil {
		return nil, fmt.Errorf("read lock: %w", err)
	}
	if err := l.checkSums(); err != nil {
		return nil, fmt.Errorf("read lock %s: %w", path, err)
	}
	for _, r := range l.Repos {
		if err := (Repo{Kind: r.Kind, ID: r.ID, Revision: r.Revision}).Check(); err != nil {
			return nil, fmt.Errorf("read lock %s: %w", path, err)
		}
		if !isHex(r.Commit, 40) {
			return nil, fmt.Errorf("read lock %s: %s has no commit", path, r.ID)
		}
		for _, f := range r.Files {
			if err := checkPath(f.Path); err != nil {
				return nil, fmt.Errorf("read lock %s: %w", path, err)
			}
		}
	}
	return &l, nil
}

// Put records a fetched repository, replacing its earlier record. Files of the same commit that
// this fetch left out stay locked.
func (l *Lock) Put(s *Snapshot, files []LockedFile) {
	r := LockedRepo{Kind: s.Repo.Kind, ID: s.Repo.ID, Revision: s.Repo.revision(), Commit: s.Commit, Files: slices.Clone(files)}
	if i := l.index(s.Repo); i >= 0 {
		if old := l.Repos[i]; old.Commit == r.Commit {
			for _, f := range old.Files {
				if !slices.ContainsFunc(r.Files, func(g LockedFile) bool { return g.Path == f.Path }) {
					r.Files = append(r.Files, f)
				}
			}
		}
		l.Repos = slices.Delete(l.Repos, i, i+1)
	}
	slices.SortFunc(r.Files, func(a, b LockedFile) int { return strings.Compare(a.Path, b.Path) })
	l.Repos = append(l.Repos, r)
	slices.SortFunc(l.Repos, func(a, b LockedRepo) int {
		return strings.Compare(string(a.Kind)+a.ID, string(b.Kind)+b.ID)
	})
}

func (l *Lock) index(r Repo) int {
	return slices.IndexFunc(l.Repos, func(x LockedRepo) bool { return x.Kind == r.Kind && x.ID == r.ID })
}

// PutFolder registers a folder, replacing an earlier one of that name.
func (l *Lock) PutFolder(f LockedFolder) {
	l.Folders = slices.DeleteFunc(l.Folders, func(x LockedFolder) bool { return x.Name == f.Name })
	l.Folders = append(l.Folders, f)
	slices.SortFunc(l.Folders, func(a, b LockedFolder) int { return strings.Compare(a.Name, b.Name) })
}

// Folder finds a registered folder by name.
func (l *Lock) Folder(name string) (LockedFolder, bool) {
	i := slices.IndexFunc(l.Folders, func(f LockedFolder) bool { return f.Name == name })
	if i < 0 {
		return LockedFolder{}, false
	}
	return l.Folders[i], true
}

// IsPrivate reports whether a folder is, or is within, a folder registered as private under any
// name.
func (l *Lock) IsPrivate(dir string) bool {
	dir = disk.RealPath(dir)
	return slices.ContainsFunc(l.Folders, func(f LockedFolder) bool {
		if !f.Private {
			return false
		}
		within, err := filepath.Rel(disk.RealPath(f.Path), dir)
		return err == nil && filepath.IsLocal(within)
	})
}

// LockFolder hashes every file below dir.
func LockFolder(name, dir string) (LockedFolder, error) {
	f := LockedFolder{Name: name, Path: dir}
	err := f.eachFile(func(file, rel string) error {
		sum, size, err := disk.SHA256(file)
		f.Files = append(f.Files, LockedFile{Path: rel, Size: size, SHA256: sum})
		return err
	})
	if err != nil {
		return LockedFolder{}, fmt.Errorf("hash files of %s: %w", dir, err)
	}
	return f, nil
}

// eachFile visits the files of a folder with their relative paths. Files may be links, as in a
// snapshot of the hub.
func (f LockedFolder) eachFile(visit func(file, rel string) error) error {
	return filepath.WalkDir(f.Path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == PrivateFile {
			return err
		}
		if info, err := disk.Stat(file); errors.Is(err, fs.ErrNotExist) && d.Type() == fs.ModeSymlink {
			return nil // a dangling link
		} else if err != nil || !info.Mode().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(f.Path, file)
		if err != nil {
			return err
		}
		return visit(file, filepath.ToSlash(rel))
	})
}

// Verify hashes every file of a registered folder. It returns one error, joined, per missing or
// changed file, and per file added among those of its kind: a loader might read it instead of a
// locked one.
func (f LockedFolder) Verify() error {
	return errors.Join(verifyFiles("folder "+f.Name, f.Path, f.Files), f.added())
}

// added returns one error per unlocked file in the folder of a locked file of the same kind.
func (f LockedFolder) added() error {
	locked, kinds := map[string]bool{}, map[string]bool{}
	for _, file := range f.Files {
		locked[file.Path], kinds[kindOf(file.Path)] = true, true
	}
	var errs []error
	err := f.eachFile(func(_, name string) error {
		if !locked[name] && kinds[kindOf(name)] {
			errs = append(errs, fmt.Errorf("folder %s: %w: %s was added", f.Name, ErrDamaged, name))
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // every file is missing, which Verify reports
	}
	return errors.Join(append(errs, err)...)
}

// kindOf returns the folder of a file with its ending, packed or not.
func kindOf(name string) string {
	plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return path.Join(path.Dir(plain), "*"+path.Ext(plain))
}

// Find returns the record of a repository.
func (l *Lock) Find(r Repo) (LockedRepo, bool) {
	if i := l.index(r); i >= 0 {
		return l.Repos[i], true
	}
	return LockedRepo{}, false
}

// ChangeLock reads, changes and writes the lock file at path, excluding other processes.
func ChangeLock(ctx context.Context, path string, change func(*Lock) error) (err error) {
	release, err := disk.Lock(ctx, filepath.Join(filepath.Dir(path), "."+disk.FitName(filepath.Base(path), 1)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	l, err := ReadLock(path)
	if err != nil {
		return err
	}
	if err := change(l); err != nil {
		return err
	}
	return l.write(path)
}

func (l *Lock) write(path string) error {
	for i := range l.Folders {
		l.Folders[i].Sum = l.Folders[i].sum()
	}
	for i := range l.Repos {
		l.Repos[i].Sum = l.Repos[i].sum()
	}
	return disk.WriteJSONTo(disk.OS{}, path, l)
}

// Verify hashes every locked file of a repository in the cache and returns one error, joined, per
// missing or damaged file.
func (r LockedRepo) Verify(cache string) error {
	return verifyFiles(fmt.Sprintf("%s %s", r.Kind, r.ID), r.Dir(cache), r.Files)
}

func verifyFiles(what, dir string, files []LockedFile) error {
	var errs []error
	for _, f := range files {
		sum, size, err := disk.SHA256(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err == nil && (sum != f.SHA256 || size != f.Size) {
			err = fmt.Errorf("%w: %s has %d bytes with hash %.12s, want %d with %.12s", ErrDamaged, f.Path, size, sum, f.Size, f.SHA256)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	return errors.Join(errs...)
}

// Dir returns the folder of the locked snapshot in a cache.
func (r LockedRepo) Dir(cache string) string {
	return snapshotDir(filepath.Join(cache, Repo{Kind: r.Kind, ID: r.ID}.folder()), r.Commit)
}

// Local finds the snapshot of a repository in the cache without a network: at the named commit, or
// at the commit that its branch or tag had when fetched. It returns ErrDamaged if a file differs
// from the hub's, or from the entry of that commit in the LockFile of the working folder.
func (c *Client) Local(repo Repo) (dir, commit string, err error) {
	if dir, commit, err = c.Find(repo); err != nil {
		return "", "", err
	}
	if err := repo.checkSnapshot(dir, commit); err != nil {
		return "", "", err
	}
	return dir, commit, nil
}

// Find is like Local but does not hash files, for callers that do not read them.
func (c *Client) Find(repo Repo) (dir, commit string, err error) {
	if err := repo.Check(); err != nil {
		return "", "", err
	}
	base := filepath.Join(c.Cache, repo.folder())
	commit = repo.revision()
	if !isHex(commit, 40) {
		data, err := disk.ReadFile(filepath.Join(base, "refs", filepath.FromSlash(commit)))
		if err != nil {
			return "", "", fmt.Errorf("%s is not in the cache %s: fetch it first", repo, c.Cache)
		}
		commit = strings.TrimSpace(string(data))
	}
	dir = snapshotDir(base, commit)
	if _, err := disk.Stat(dir); err != nil {
		return "", "", fmt.Errorf("%s is not in the cache %s: fetch it first", repo, c.Cache)
	}
	return dir, commit, nil
}
