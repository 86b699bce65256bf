package submit

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/memory"
	"infbench/runners/results"
)

// Bounds of a submission. GitHub takes no file of more than 100 MiB.
const (
	maxFiles       = 2_000
	maxTotal       = 512 << 20
	maxDeclaration = 64 << 10
	maxClaims      = 64 << 20
	maxResult      = 8 << 20
	maxRanking     = 95 << 20
	maxUnpacked    = 512 << 20
)

// kind is a file that a submission may hold.
type kind struct {
	name *regexp.Regexp
	most int64
}

var kinds = []kind{
	{regexp.MustCompile(`^submission\.yaml$`), maxDeclaration},
	{regexp.MustCompile(`^scores\.jsonl$`), maxClaims},
	{regexp.MustCompile(`^scores/[A-Za-z0-9][A-Za-z0-9._-]*\.json$`), maxResult},
	{regexp.MustCompile(`^runs/[A-Za-z0-9][A-Za-z0-9._-]*\.trec(\.gz)?$`), maxRanking},
}

// contents are the files of a submission by their slash-separated name, none of which is
// read yet.
type contents struct {
	root  *os.Root
	files map[string]int64 // sizes
}

// list walks the folder and refuses whatever may not be in it: links, pipes, devices,
// other names, too much.
func (c *contents) list(faults *faultList) error {
	c.files = map[string]int64{}
	folded := map[string]string{}
	total, seen := int64(0), 0
	left, err := c.names(".")
	if err != nil {
		return err
	}
	for len(left) > 0 {
		name := left[0]
		left = left[1:]
		if seen++; seen > maxFiles {
			faults.add("", 0, "more than %d files", maxFiles)
			return nil
		}
		if other, ok := folded[strings.ToLower(name)]; ok {
			faults.add(name, 0, "differs from %s in case only", other)
		}
		folded[strings.ToLower(name)] = name
		info, err := disk.Twice(func() (fs.FileInfo, error) { return c.root.Lstat(name) })
		if err != nil {
			return err
		}
		if info.IsDir() && (name == results.RunsDir || name == claimsDir) {
			below, err := c.names(name)
			if err != nil {
				return err
			}
			left = append(below, left...)
			continue
		}
		ok := admitted(name, info, faults)
		if total += info.Size(); total > maxTotal {
			faults.add("", 0, "more than %s in all", memory.Size(maxTotal))
			return nil
		}
		if ok {
			c.files[name] = info.Size()
		}
	}
	return nil
}

// names are those in a folder, in order, whatever they lead to: File.ReadDir leaves out
// what it does not find, and file servers miss once in a while what is there.
func (c *contents) names(dir string) ([]string, error) {
	f, err := c.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing to lose
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	for i, name := range names {
		names[i] = path.Join(dir, name)
	}
	return names, err
}

// admitted says whether a file may be in a submission.
func admitted(name string, info fs.FileInfo, faults *faultList) bool {
	switch mode := info.Mode(); {
	case mode.IsDir():
		faults.add(name, 0, "is no part of a submission")
		return false
	case mode&fs.ModeSymlink != 0:
		faults.add(name, 0, "is a link; bring the file itself")
		return false
	case !mode.IsRegular():
		faults.add(name, 0, "is no regular file")
		return false
	}
	for _, k := range kinds {
		if !k.name.MatchString(name) {
			continue
		}
		if info.Size() > k.most {
			faults.add(name, 0, "%s: a file of this kind may have %s", memory.Size(info.Size()), memory.Size(k.most))
			return false
		}
		return true
	}
	faults.add(name, 0, "is no part of a submission: that is %s, runs/BENCHMARK.TASK.trec or .trec.gz, scores.jsonl and scores/TASK.json", DeclarationFile)
	return false
}

// below yields the names of files in a folder, in order.
func (c *contents) below(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range sortedKeys(c.files) {
			if path.Dir(name) == dir && !yield(name) {
				return
			}
		}
	}
}

// read reads a small file whole. The root lets no link lead out of it.
func (c *contents) read(name string) ([]byte, error) {
	f, err := c.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing to lose
	data, err := io.ReadAll(memory.Reader(io.LimitReader(f, c.files[name]+1)))
	if err == nil && int64(len(data)) > c.files[name] {
		err = fmt.Errorf("%s grows while it is read", name)
	}
	return data, err
}

// sums are the SHA-256 of all files by name.
func (c *contents) sums() (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range sortedKeys(c.files) {
		f, err := c.root.Open(name)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		read, err := f.WriteTo(h)
		f.Close() // read only: nothing to lose
		if err == nil && read != c.files[name] {
			err = fmt.Errorf("gives %d of its %d bytes", read, c.files[name])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sums[name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return sums, nil
}

// place is where a submission lies.
type place struct {
	dir         string // as it was named
	org, folder string // ORG__MODEL, REVISION
}

// placesIn finds the submissions that a folder is, or holds: REVISION, ORG__MODEL/REVISION
// below it, or REVISION below it. What lies beside them is a fault of the folder.
func placesIn(dir string) (places []place, faults []Fault, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	slashed := filepath.ToSlash(filepath.Clean(dir))
	switch {
	case holds(entries, DeclarationFile), strings.Contains(filepath.Base(filepath.Dir(abs)), "__"):
		return []place{{slashed, filepath.Base(filepath.Dir(abs)), filepath.Base(abs)}}, nil, nil
	case strings.Contains(filepath.Base(abs), "__"):
		places, faults = revisionsIn(slashed, filepath.Base(abs), entries)
		return places, faults, nil
	}
	for _, e := range entries {
		at := slashed + "/" + e.Name()
		if isTopFile(e) {
			continue
		}
		if !e.IsDir() {
			faults = append(faults, Fault{File: at, Text: "is no folder ORG__MODEL"})
			continue
		}
		below, err := disk.ReadDir(at)
		if err != nil {
			return nil, nil, err
		}
		more, wrong := revisionsIn(at, e.Name(), below)
		places, faults = append(places, more...), append(faults, wrong...)
	}
	return places, faults, nil
}

// isTop says whether a folder is that of all submissions.
func isTop(dir string) bool {
	abs, err := filepath.Abs(dir)
	_, missing := os.Lstat(filepath.Join(dir, DeclarationFile))
	return err == nil && missing != nil && !strings.Contains(filepath.Base(abs), "__") && !strings.Contains(filepath.Base(filepath.Dir(abs)), "__")
}

// isTopFile says whether a file may lie beside the systems: what explains the folder, or
// keeps it there.
func isTopFile(e fs.DirEntry) bool {
	return e.Type().IsRegular() && (e.Name() == "README.md" || e.Name() == ".gitkeep")
}

// revisionsIn are the submissions of one system.
func revisionsIn(dir, org string, entries []fs.DirEntry) (places []place, faults []Fault) {
	for _, e := range entries {
		switch {
		case disk.IsTemporary(e.Name()): // what a killed submit new leaves
			continue
		case !e.IsDir():
			faults = append(faults, Fault{File: dir + "/" + e.Name(), Text: "is no folder of a revision"})
			continue
		}
		places = append(places, place{dir + "/" + e.Name(), org, e.Name()})
	}
	return places, faults
}

// holds says whether a name is among those of a folder.
func holds(entries []fs.DirEntry, name string) bool {
	for _, e := range entries {
		if e.Name() == name {
			return true
		}
	}
	return false
}
