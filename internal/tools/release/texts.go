package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// text is a licence or notice of some code: the statements about this code (such as its
// copyright holder), and the terms, which many texts share.
type text struct {
	head string
	body string
}

// The beginning of the terms of short licences, and the end of those of the Apache License.
var (
	permission = regexp.MustCompile(`(?mi)^[ *]*(Permission is hereby granted|Permission to use, copy|Redistribution and use in source)`)
	apache     = regexp.MustCompile(`(?is)^\s*Apache License\s+Version 2\.0, January 2004`)
	apacheEnd  = regexp.MustCompile(`(?s)(END OF TERMS AND CONDITIONS.*)?$`)
	appendix   = regexp.MustCompile(`(?s)^END OF TERMS AND CONDITIONS.*limitations under the License\.`)
	holder     = regexp.MustCompile(`(?m)^\s*Copyright (\(c\) )?\d.*$`)
)

// split divides a licence into both parts. A licence of unknown form is all terms.
func split(data string) text {
	data = strings.ReplaceAll(data, "\r\n", "\n")
	if apache.MatchString(data) {
		return splitApache(data)
	}
	at := permission.FindStringIndex(data)
	if at == nil {
		return text{body: tidy(data)}
	}
	return text{head: tidy(data[:at[0]]), body: tidy(data[at[0]:])}
}

// splitApache keeps two parts of the appendix, which explains how to apply the licence: the
// holder that someone filled in, and the text after it.
func splitApache(data string) text {
	end := apacheEnd.FindStringIndex(data)
	tail := data[end[0]:]
	below := appendix.ReplaceAllString(tail, "")
	return text{head: tidy(strings.Join(append(holder.FindAllString(tail, 1), below), "\n")), body: tidy(data[:end[0]])}
}

// tidy drops trailing space and repeated empty lines.
func tidy(data string) string {
	data = trailing.ReplaceAllString(strings.Trim(data, "\n"), "")
	return strings.Trim(blankLines.ReplaceAllString(data, "\n\n"), "\n")
}

var (
	trailing   = regexp.MustCompile(`(?m)[ \t\f]+$`)
	blankLines = regexp.MustCompile(`\n{3,}`)
)

// key is the same for terms that only differ in layout, case or punctuation: the
// first 16 digits of the SHA-256 of their words.
func (t text) key() string {
	words := strings.FieldsFunc(strings.ToLower(t.body), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	sum := sha256.Sum256([]byte(strings.Join(words, " ")))
	return hex.EncodeToString(sum[:8])
}

// legal matches the names of files that hold licences and notices.
var legal = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notice|patents|third[-_]party[-_]\w+)([-.].*)?$`)

// textsIn reads the licence files of a folder, and of its subfolders with such names.
func textsIn(fsys fs.FS, dir string) (map[string]text, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	found := map[string]text{}
	for _, e := range entries {
		if !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		name := path.Join(dir, e.Name())
		if !e.IsDir() {
			err = readText(found, fsys, name)
		} else {
			err = readFolder(found, fsys, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func readFolder(found map[string]text, fsys fs.FS, dir string) error {
	files, err := fs.ReadDir(fsys, dir)
	for _, f := range files {
		if err == nil {
			err = readText(found, fsys, path.Join(dir, f.Name()))
		}
	}
	return err
}

func readText(found map[string]text, fsys fs.FS, name string) error {
	data, err := fs.ReadFile(fsys, name)
	found[name] = split(string(data))
	return err
}

// textsOf reads the licences that apply to a package, from its folder and those above it, up
// to that of its module. They are known by their paths in the module.
func textsOf(p *linked) (map[string]text, error) {
	rel, err := filepath.Rel(p.Module.Dir, p.Dir)
	if err != nil {
		return nil, err
	}
	all, fsys := map[string]text{}, os.DirFS(p.Module.Dir)
	for dir := filepath.ToSlash(rel); ; dir = path.Dir(dir) {
		here, err := textsIn(fsys, dir)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, here)
		if dir == "." {
			return all, nil
		}
	}
}
