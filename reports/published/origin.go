package published

import (
	"archive/tar"
	"bufio"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"infbench/internal/disk"
)

// Origin is where a collection was taken from, as far as its files say. It is not part of Hash.
type Origin struct {
	Repository string // owner/name
	Commit     string // of the results
	Licence    string // of the results, an SPDX name if it is known
}

// originOf finds the origin of a folder or an archive of results. The commit is that of a
// checkout, or the one that git archive writes into the header of an archive. The licence is
// recognised in a LICENSE file. A SOURCE.md in the folder, or next
// to the archive or the folder, fills in the rest. A file that cannot be read has no effect.
func originOf(from string) Origin {
	var o Origin
	info, err := disk.Stat(from)
	if err != nil {
		return o
	}
	folders := []string{filepath.Dir(from)}
	if info.IsDir() {
		folders = []string{from, filepath.Dir(filepath.Clean(from))}
		o.ofCheckout(from)
	} else if !isJSON(from) {
		o.ofArchive(from)
	}
	for _, folder := range folders {
		o.ofSource(start(filepath.Join(folder, "SOURCE.md")))
	}
	return o
}

// originLimit is how much of a file may be read for its origin.
const originLimit = 64 << 10

// start returns the start of a file; "" if it cannot be read.
func start(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, originLimit))
	return string(text)
}

var (
	commitHash = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	sourceName = regexp.MustCompile(`\b([\w.-]+/[\w.-]+) ?@ ?([0-9a-f]{40})\b`)
	licensed   = regexp.MustCompile(`\b(?i:licen[cs]e):? ([A-Z][\w.+-]*\w|[a-z][\w.+-]*-[\w.]*\d)`) // MIT, cc-by-4.0; no other word
	remoteName = regexp.MustCompile(`(?m)^\s*url = .*[/:]([\w.-]+/[\w.-]+?)(\.git)?\s*$`)
)

// ofSource reads the text of a SOURCE.md.
func (o *Origin) ofSource(text string) {
	if m := sourceName.FindStringSubmatch(text); m != nil && (o.Commit == "" || o.Commit == m[2]) {
		o.Repository, o.Commit = m[1], m[2]
	}
	if m := licensed.FindStringSubmatch(text); m != nil && o.Licence == "" {
		o.Licence = m[1]
	}
}

// ofCheckout reads the git folder and the licence of the checkout that has a folder.
func (o *Origin) ofCheckout(folder string) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return
	}
	for range 4 {
		git := filepath.Join(folder, ".git")
		head := strings.TrimSpace(start(filepath.Join(git, "HEAD")))
		if head == "" {
			folder = filepath.Dir(folder)
			continue
		}
		if ref, named := strings.CutPrefix(head, "ref: "); named && filepath.IsLocal(ref) {
			head = strings.TrimSpace(start(filepath.Join(git, filepath.FromSlash(ref))))
			for line := range strings.Lines(start(filepath.Join(git, "packed-refs"))) {
				if hash, name, _ := strings.Cut(strings.TrimSpace(line), " "); head == "" && name == ref {
					head = hash
				}
			}
		}
		if commitHash.MatchString(head) {
			o.Commit = head
		}
		if m := remoteName.FindStringSubmatch(start(filepath.Join(git, "config"))); m != nil {
			o.Repository = m[1]
		}
		for _, name := range []string{"LICENSE", "LICENSE.md", "LICENSE.txt"} {
			if o.Licence == "" {
				o.Licence = licenceIn(start(filepath.Join(folder, name)))
			}
		}
		return
	}
}

// ofArchive reads the commit and the licence in the first entries of an archive.
func (o *Origin) ofArchive(name string) {
	f, err := disk.Stream(name)
	if err != nil {
		return
	}
	defer f.Close()
	archive, err := tarOf(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return
	}
	for range 100 {
		header, err := archive.Next()
		if err != nil {
			return
		}
		if comment := header.PAXRecords["comment"]; header.Typeflag == tar.TypeXGlobalHeader && commitHash.MatchString(comment) {
			o.Commit = comment
		}
		if base := path.Base(header.Name); strings.Count(path.Clean(header.Name), "/") < 2 && strings.HasPrefix(base, "LICENSE") && o.Licence == "" {
			text, _ := io.ReadAll(io.LimitReader(archive, originLimit))
			o.Licence = licenceIn(string(text))
		}
	}
}

// licenceIn recognises the licences that result files have; "" for others.
func licenceIn(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = text[:min(len(text), 2000)]
	for _, l := range []struct{ name, says string }{
		{"CC0-1.0", "CC0 1.0 Universal"}, {"Apache-2.0", "Apache License Version 2.0"}, {"MIT", "MIT License"},
		{"CC-BY-4.0", "Attribution 4.0 International"}, {"CC-BY-SA-4.0", "Attribution-ShareAlike 4.0 International"},
	} {
		if strings.Contains(text, l.says) {
			return l.name
		}
	}
	return ""
}
