package output

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"infbench/internal/disk"
	"infbench/internal/usage"
)

// Kind is the format of a file.
type Kind string

// The kinds of files that verbs write where their user says, and of some that they never
// write over.
const (
	Numpy     Kind = "numpy"
	HTML      Kind = "HTML"
	SVG       Kind = "SVG"
	JSON      Kind = "JSON"
	JSONLines Kind = "JSON lines"
	Text      Kind = "text"
	CSV       Kind = "CSV"
	Markdown  Kind = "Markdown"
	LaTeX     Kind = "LaTeX"
	unknown   Kind = "other"
)

// plain are the kinds whose content is told from none other of them.
var plain = []Kind{Text, CSV, Markdown, LaTeX}

// endings of names that promise a kind.
var endings = map[string]Kind{
	".npy": Numpy, ".html": HTML, ".htm": HTML, ".svg": SVG, ".json": JSON, ".jsonl": JSONLines, ".ndjson": JSONLines,
	".csv": CSV, ".md": Markdown, ".tex": LaTeX, ".tsv": unknown, ".yaml": unknown, ".yml": unknown, ".toml": unknown, ".bib": unknown,
	".trec": unknown, ".run": unknown, ".qrels": unknown, ".parquet": unknown, ".gz": unknown, ".zip": unknown, ".lock": unknown,
	".safetensors": unknown, ".bin": unknown, ".pt": unknown, ".go": unknown, ".py": unknown, ".sh": unknown, ".ipynb": unknown,
}

// File is a file that the user names for a verb to write.
type File struct {
	Path   string
	Kind   Kind
	Inputs []string // what the verb reads: files, folders of which none is written over, names of other things
}

// Check refuses, before any work is done, a place where something would be lost: an input
// of the verb, or a file of another kind than is written. One of the same kind may be of
// the same command, and is replaced.
func (o File) Check() error {
	info, err := disk.Stat(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch input, err := o.input(info); {
	case err != nil:
		return err
	case input != "":
		return usage.Errorf("%s is read by the same command (%s): name another with --out", o.Path, input)
	case info.IsDir():
		return usage.Errorf("%s is a folder: name a file with --out", o.Path)
	case disk.IsStream(o.Path) || info.Size() == 0:
		return nil
	}
	found, err := kindOf(o.Path)
	if err != nil {
		return err
	}
	if !o.replaces(found) {
		return usage.Errorf("%s is there and holds %s, not the %s that would be written: name another with --out, or move it away", o.Path, found.words(), o.Kind)
	}
	return nil
}

// replaces says whether what is written may take the place of a file with content of some
// kind. Text says little of itself, so there the name counts as well.
func (o File) replaces(found Kind) bool {
	named := endings[strings.ToLower(filepath.Ext(o.Path))]
	switch {
	case slices.Contains([]Kind{Numpy, HTML, SVG}, o.Kind):
		return found == o.Kind
	case slices.Contains(plain, o.Kind):
		return found == Text && (named == "" || named == o.Kind || o.Kind == Text && named == Markdown)
	}
	return found == o.Kind && (named == "" || named == o.Kind)
}

func (k Kind) words() string {
	if k == unknown {
		return "something else"
	}
	return string(k)
}

// input is the input that a file is, or lies in; "" where it is none.
func (o File) input(file fs.FileInfo) (string, error) {
	path, err := disk.Follow(o.Path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", err
	}
	for _, input := range o.Inputs {
		read, err := disk.Stat(input)
		if err != nil {
			continue // a name of something else, or nothing that could be lost
		}
		if os.SameFile(read, file) && !disk.IsStream(input) {
			return input, nil
		}
		for dir := filepath.Dir(path); read.IsDir(); dir = filepath.Dir(dir) {
			if above, err := disk.Stat(dir); err == nil && os.SameFile(above, read) {
				return input, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", nil
}

// Write writes the file with what fill writes, after another Check: whole or not at all,
// where links at its name lead, and into a pipe or a device as it comes.
func (o File) Write(fill func(w io.Writer) error) error {
	if err := o.Check(); err != nil {
		return err
	}
	if disk.IsStream(o.Path) {
		return disk.WriteInto(o.Path, fill)
	}
	path, err := disk.Follow(o.Path)
	if err != nil {
		return err
	}
	return disk.Write(path, fill)
}

// WriteBytes is Write of content that is in memory.
func (o File) WriteBytes(data []byte) error {
	return o.Write(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// headSize is how much of a file tells its kind, in bytes.
const headSize = 512

// kindOf is the kind of a file by how it begins.
func kindOf(path string) (Kind, error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	if err != nil {
		return "", err
	}
	return kindOfHead(head), nil
}

func kindOfHead(head []byte) Kind {
	if bytes.HasPrefix(head, []byte("\x93NUMPY")) {
		return Numpy
	}
	for len(head) > 0 && !utf8.Valid(head) && len(head) > headSize-utf8.UTFMax { // cut within a letter
		head = head[:len(head)-1]
	}
	if !utf8.Valid(head) || bytes.IndexByte(head, 0) >= 0 {
		return unknown
	}
	text := bytes.ToLower(bytes.TrimLeft(head, " \t\r\n\ufeff"))
	starts := func(with ...string) bool {
		return slices.ContainsFunc(with, func(s string) bool { return bytes.HasPrefix(text, []byte(s)) })
	}
	switch {
	case starts("<!doctype html", "<html"):
		return HTML
	case starts("<svg"):
		return SVG
	case starts("<?xml"):
		if bytes.Contains(text, []byte("<svg")) {
			return SVG
		}
		return unknown
	case starts("{\n", "{\r", "[", "{}"):
		return JSON
	case starts("{"):
		return JSONLines
	}
	return Text
}
