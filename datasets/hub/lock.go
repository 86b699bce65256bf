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

// Lock pins what was fetched: every repository with its commit and the SHA-256
// of each file. It is written sorted, so that it diffs well.
type Lock struct {
	Repos   []LockedRepo      `json:"repositories"`
	Folders []LockedFolder    `json:"folders,omitempty"`
	Counts  map[string]Counts `json:"counts,omitempty"` // "benchmark/task" -> what was counted when it was fetched
}

// LockedFolder is a local folder registered under a name.
type LockedFolder struct {
	Name  string       `json:"name"`
	Path  string       `json:"path"`
	Files []LockedFile `json:"files"`

	Private bool   `json:"private,omitempty"` // its texts must never be shown or written: IDs and numbers only
	Sum     string `json:"sum"`               // entrySum of the others

	DropSelf bool `json:"drop_self,omitempty"` // no query ranks the document with its own ID
}

// Counts is how much of a task there is.
type Counts struct {
	Documents int `json:"documents"`
	Queries   int `json:"queries"`
	Judgments int `json:"judgments"`
}

// LockedRepo is one repository of a lock.
type LockedRepo struct {
	Kind     Kind         `json:"kind"`
	ID       string       `json:"id"`
	Revision string       `json:"revision"` // what was asked for
	Commit   string       `json:"commit"`   // what it was
	Files    []LockedFile `json:"files"`
	Sum      string       `json:"sum"` // entrySum of the others
}

// entrySum is the SHA-256 of an entry's JSON. Entries have one each, not the file, so that
// branches that each add some can be merged.
func entrySum(entry any) string {
	text, err := json.Marshal(entry)
	if err != nil { // strings and numbers can be
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

// checkSums refuses an entry that was changed since it was written.
func (l *Lock) checkSums() error {
	for _, f := range l.Folders {
		if f.Sum != f.sum() {
			return fmt.Errorf("%w: the entry of %s is not what data import wrote; take the entry out and import it again", ErrDamaged, f.Name)
		}
	}
	for _, r := range l.Repos {
		if r.Sum != r.sum() {
			return fmt.Errorf("%w: the entry of %s is not what was fetched; take the entry out and fetch it again", ErrDamaged, r.ID)
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

// Put records a fetched repository in place of an earlier record of it. Files
// of the same commit that this fetch left out stay locked.
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

// PutFolder registers a folder in place of an earlier one of its name.
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

// IsPrivate says whether a folder is, or lies in, one that was registered as private under
// any name.
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

// eachFile visits the files of a folder, which may be links, as those of a snapshot of
// the hub are, with their names in it.
func (f LockedFolder) eachFile(visit func(file, rel string) error) error {
	return filepath.WalkDir(f.Path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == PrivateFile {
			return err
		}
		if info, err := disk.Stat(file); errors.Is(err, fs.ErrNotExist) && d.Type() == fs.ModeSymlink {
			return nil // a link that leads nowhere
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

// Verify hashes every file of a registered folder and returns one error a file
// that is missing or changed, joined, or was added among those of its kind: a loader
// may read it in place of one that is locked.
func (f LockedFolder) Verify() error {
	return errors.Join(verifyFiles("folder "+f.Name, f.Path, f.Files), f.added())
}

// added returns one error a file that is not locked and lies in the folder of a locked
// one of the same kind.
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
		return nil // every file is missing, which says it
	}
	return errors.Join(append(errs, err)...)
}

// kindOf is the folder of a file with the ending of its name, packed or not.
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

// ChangeLock reads the lock file at path, changes it and writes it, with no other process
// between.
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

// Verify hashes every locked file of a repository in the cache and returns one
// error a file that is missing or damaged, joined.
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

// Dir is the folder of the locked snapshot in a cache.
func (r LockedRepo) Dir(cache string) string {
	return snapshotDir(filepath.Join(cache, Repo{Kind: r.Kind, ID: r.ID}.folder()), r.Commit)
}

// Local finds the snapshot of a repository in the cache without a network: at
// the commit named, or at the one its branch or tag was fetched at. A file in it that is
// not what the hub gave, or not what the LockFile of the working folder lists of that
// commit, is ErrDamaged.
func (c *Client) Local(repo Repo) (dir, commit string, err error) {
	if dir, commit, err = c.Find(repo); err != nil {
		return "", "", err
	}
	if err := repo.checkSnapshot(dir, commit); err != nil {
		return "", "", err
	}
	return dir, commit, nil
}

// Find is Local of a snapshot whose files are not read: they are not hashed.
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
