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

// Limits of a submission. GitHub refuses files larger than 100 MiB.
const (
	maxFiles       = 2_000
	maxTotal       = 512 << 20
	maxDeclaration = 64 << 10
	maxClaims      = 64 << 20
	maxResult      = 8 << 20
	maxRanking     = 95 << 20
	maxUnpacked    = 512 << 20
)

// kind is a kind of file that a submission may have.
type kind struct {
	name *regexp.Regexp
	most int64
}

var kinds = []kind{
	{regexp.MustCompile(`^submission\.yaml$`), maxDeclaration},
	{regexp.MustCompile(`^scores\.jsonl$`), maxClaims},
	{regexp.MustCompile(`^scores/[A-Za-z0-9][A-Za-z0-9._-]*\.json$`), maxResult},
	{regexp.MustCompile(`^(seed-[0-9]{1,20}/)?runs/[A-Za-z0-9][A-Za-z0-9._-]*\.trec(\.gz)?$`), maxRanking},
}

// folders matches the folders of a submission. A system that was trained several times has the
// rankings of each training in a folder of its own, seed-N/runs.
var folders = regexp.MustCompile(`^(runs|scores|seed-[0-9]{1,20}(/runs)?)$`)

// contents are the files of a submission by their slash-separated name, still unread.
type contents struct {
	root  *os.Root
	files map[string]int64 // sizes
}

// list walks the folder and refuses everything that a submission must not have: links, pipes,
// devices, other names, too many or too large files.
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
			faults.add(name, 0, "differs only in case from %s", other)
		}
		folded[strings.ToLower(name)] = name
		info, err := disk.Twice(func() (fs.FileInfo, error) { return c.root.Lstat(name) })
		if err != nil {
			return err
		}
		if info.IsDir() && folders.MatchString(name) {
			below, err := c.names(name)
			if err != nil {
				return err
			}
			left = append(below, left...)
			continue
		}
		ok := admitted(name, info, faults)
		if total += info.Size(); total > maxTotal {
			faults.add("", 0, "more than %s in total", memory.Size(maxTotal))
			return nil
		}
		if ok {
			c.files[name] = info.Size()
		}
	}
	return nil
}

// names are the sorted names in a folder, including broken links. File.ReadDir leaves out names
// that it cannot find, and file servers sometimes miss existing files.
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

// admitted reports whether a file may be in a submission.
func admitted(name string, info fs.FileInfo, faults *faultList) bool {
	switch mode := info.Mode(); {
	case mode.IsDir():
		faults.add(name, 0, "is not part of a submission")
		return false
	case mode&fs.ModeSymlink != 0:
		faults.add(name, 0, "is a link; submit the file itself")
		return false
	case !mode.IsRegular():
		faults.add(name, 0, "is not a regular file")
		return false
	}
	for _, k := range kinds {
		if !k.name.MatchString(name) {
			continue
		}
		if info.Size() > k.most {
			faults.add(name, 0, "%s: a file of this kind may have at most %s", memory.Size(info.Size()), memory.Size(k.most))
			return false
		}
		return true
	}
	faults.add(name, 0, "is not part of a submission: that has %s, runs/BENCHMARK.TASK.trec or .trec.gz, also below seed-N, scores.jsonl and scores/TASK.json", DeclarationFile)
	return false
}

// below yields the names of the files in a folder, in order.
func (c *contents) below(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range sortedKeys(c.files) {
			if path.Dir(name) == dir && !yield(name) {
				return
			}
		}
	}
}

// rankings yields the names of the rankings, those of each seed together; seed is "" in runs.
func (c *contents) rankings() iter.Seq2[string, string] {
	return func(yield func(seed, name string) bool) {
		for _, name := range sortedKeys(c.files) {
			dir, in := path.Split(path.Dir(name))
			if in == results.RunsDir && !yield(strings.TrimPrefix(strings.TrimSuffix(dir, "/"), seedPrefix), name) {
				return
			}
		}
	}
}

// seedPrefix begins the name of the folder of a seed.
const seedPrefix = "seed-"

// read reads a complete small file. The root follows no link out of the folder.
func (c *contents) read(name string) ([]byte, error) {
	f, err := c.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing to lose
	data, err := io.ReadAll(memory.Reader(io.LimitReader(f, c.files[name]+1)))
	if err == nil && int64(len(data)) > c.files[name] {
		err = fmt.Errorf("%s grew while it was read", name)
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
			err = fmt.Errorf("has only %d of its %d bytes", read, c.files[name])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sums[name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return sums, nil
}

// place is the location of a submission.
type place struct {
	dir         string // as the user named it
	org, folder string // ORG__MODEL, REVISION
}

// placesIn finds the submissions in a folder: the folder itself, REVISION or
// ORG__MODEL/REVISION below it. Other files next to them are faults of the folder.
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
			faults = append(faults, Fault{File: at, Text: "is not a folder ORG__MODEL"})
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

// isTop reports whether a folder is the folder of all submissions.
func isTop(dir string) bool {
	abs, err := filepath.Abs(dir)
	_, missing := os.Lstat(filepath.Join(dir, DeclarationFile))
	return err == nil && missing != nil && !strings.Contains(filepath.Base(abs), "__") && !strings.Contains(filepath.Base(filepath.Dir(abs)), "__")
}

// isTopFile reports whether a file may be next to the systems: an explanation, or a file that
// keeps the folder in git.
func isTopFile(e fs.DirEntry) bool {
	return e.Type().IsRegular() && (e.Name() == "README.md" || e.Name() == ".gitkeep")
}

// revisionsIn are the submissions of one system.
func revisionsIn(dir, org string, entries []fs.DirEntry) (places []place, faults []Fault) {
	for _, e := range entries {
		switch {
		case disk.IsTemporary(e.Name()): // left by a killed submit new
			continue
		case !e.IsDir():
			faults = append(faults, Fault{File: dir + "/" + e.Name(), Text: "is not a revision folder"})
			continue
		}
		places = append(places, place{dir + "/" + e.Name(), org, e.Name()})
	}
	return places, faults
}

// holds reports whether a folder has an entry of that name.
func holds(entries []fs.DirEntry, name string) bool {
	for _, e := range entries {
		if e.Name() == name {
			return true
		}
	}
	return false
}
