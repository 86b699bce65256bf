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

// The kinds of files that verbs write to paths of the user, and of some that they never
// overwrite.
const (
	Numpy     Kind = "numpy"
	HTML      Kind = "HTML"
	SVG       Kind = "SVG"
	PNG       Kind = "PNG"
	PDF       Kind = "PDF"
	JSON      Kind = "JSON"
	JSONLines Kind = "JSON lines"
	Text      Kind = "text"
	CSV       Kind = "CSV"
	Markdown  Kind = "Markdown"
	LaTeX     Kind = "LaTeX"
	unknown   Kind = "other"
)

// plain are the kinds whose content looks alike.
var plain = []Kind{Text, CSV, Markdown, LaTeX}

// endings are extensions that imply a kind.
var endings = map[string]Kind{
	".npy": Numpy, ".html": HTML, ".htm": HTML, ".svg": SVG, ".png": PNG, ".pdf": PDF, ".json": JSON, ".jsonl": JSONLines, ".ndjson": JSONLines,
	".csv": CSV, ".md": Markdown, ".tex": LaTeX, ".tsv": unknown, ".yaml": unknown, ".yml": unknown, ".toml": unknown, ".bib": unknown,
	".trec": unknown, ".run": unknown, ".qrels": unknown, ".parquet": unknown, ".gz": unknown, ".zip": unknown, ".lock": unknown,
	".safetensors": unknown, ".bin": unknown, ".pt": unknown, ".go": unknown, ".py": unknown, ".sh": unknown, ".ipynb": unknown,
}

// File is a file that the user asks a verb to write.
type File struct {
	Path   string
	Kind   Kind
	Inputs []string // inputs of the verb: files, folders in which no file may be overwritten, and names of other things
}

// Check returns an error, before any work is done, if writing would lose something: an input of
// the verb, or a file of another kind. A file of the same kind may come from the same command
// and is replaced.
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
		return usage.Errorf("%s is read by the same command (%s): name another file with --out", o.Path, input)
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
		return usage.Errorf("%s exists and holds %s, not the %s that would be written: name another file with --out, or move it away", o.Path, found.words(), o.Kind)
	}
	return nil
}

// replaces reports whether the output may replace a file with content of some kind. Text has no
// signature, so for it the name counts as well.
func (o File) replaces(found Kind) bool {
	named := endings[strings.ToLower(filepath.Ext(o.Path))]
	switch {
	case slices.Contains([]Kind{Numpy, HTML, SVG, PNG, PDF}, o.Kind):
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

// input is the input that a file is, or is inside; "" if there is none.
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
			continue // a name of something else, or a file that does not exist
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

// Write checks again and writes the file with the output of fill: complete or not at all,
// following links, and directly into a pipe or device.
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

// WriteBytes is like Write for content in memory.
func (o File) WriteBytes(data []byte) error {
	return o.Write(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// headSize is the number of bytes of a file that are read to detect its kind.
const headSize = 512

// kindOf detects the kind of a file from its first bytes.
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
	if bytes.HasPrefix(head, []byte("\x89PNG\r\n")) {
		return PNG
	}
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		return PDF
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
