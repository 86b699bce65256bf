// Package foreign reads the files of other retrieval programs: rankings, values by query, and
// means. Each format is one file with a type that has Name, Recognises and Read; readers lists
// them.
//
// It only reads. Package bench/submit scores rankings and finds the benchmark of a task.
package foreign

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/metrics/trec"
)

// System has the results of one system in a file.
type System struct {
	Model    string // "" if the file does not name it
	Revision string // revision of the model
	Tasks    []Task
}

// Task is a ranking, or values, of one test.
type Task struct {
	Name     string // name in the source: Core17InstructionRetrieval; "" if it names none
	Part     string // part of a task with several: "standard/biology"
	Split    string // "standard"; "" if the source names none
	Revision string // revision of the data
	Swapped  bool   // each instruction is scored with the judgments of the other, as mteb 1.7 to 1.39 did
	Values   []Value
	Run      trec.Run // nil if the file has values
}

// Value is one number of a task.
type Value struct {
	Measure string // by the names of package metrics
	Side    string // instruction: original, changed, "" for none or both
	Query   string // "" in a mean
	Mean    bool   // a mean over queries that the file does not list
	Value   float64
}

// Contents are the systems of a file, with warnings about omitted contents.
type Contents struct {
	Format   string
	Systems  []System
	Warnings []string
}

// Options selects the contents of formats that have more than boards show.
type Options struct {
	Measures []string // in addition to the score of each task of MTEB's result files
}

// reader is one format.
type reader interface {
	// Name is the name that users type.
	Name() string
	// Recognises reports whether a file has the format. head is its beginning, cut anywhere.
	Recognises(head []byte) bool
	// Read reads a file, which may be compressed. Errors name file and line.
	Read(path string, o Options) ([]System, []string, error)
}

// readers lists all formats; the first that recognises a file reads it.
func readers() []reader {
	return []reader{mtebResults{}, predictions{}, ranxReport{}, ranxRun{}, irMeasures{}, trecEval{}, trecRun{}}
}

// Formats lists the names of formats for Read.
func Formats() []string {
	var names []string
	for _, f := range readers() {
		names = append(names, f.Name())
	}
	return names
}

// headSize is how much of a file is read to recognise its format.
const headSize = 64 << 10

// Read reads a file, or a folder or archive of MTEB's results, in the named format. If as is "", it
// recognises the format by the content.
func Read(path, as string, o Options) (*Contents, error) {
	f, err := find(path, as)
	if err != nil {
		return nil, err
	}
	systems, warnings, err := f.Read(path, o)
	if err != nil {
		return nil, err
	}
	if len(systems) == 0 {
		return nil, fmt.Errorf("%s: found no numbers and no rankings in format %s", path, f.Name())
	}
	return &Contents{f.Name(), systems, warnings}, nil
}

// find chooses the format.
func find(path, as string) (reader, error) {
	if as != "" {
		for _, f := range readers() {
			if f.Name() == as {
				return f, nil
			}
		}
		return nil, nearest.Unknown("format", as, Formats())
	}
	if isCollection(path) {
		return mtebResults{}, nil
	}
	head, err := headOf(path)
	if err != nil {
		return nil, err
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", path)
	}
	for _, f := range readers() {
		if f.Recognises(head) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s:1: none of the known formats (%s); choose one with --as", path, strings.Join(Formats(), ", "))
}

// isCollection reports whether a path is a folder or an archive of files.
func isCollection(path string) bool {
	if info, err := disk.Stat(path); err == nil && info.IsDir() {
		return true
	}
	name := strings.TrimSuffix(path, ".gz")
	return strings.HasSuffix(name, ".tar") || strings.HasSuffix(path, ".tgz")
}

// headOf reads the beginning of a file.
func headOf(path string) ([]byte, error) {
	f, err := format.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only: nothing to lose
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return head, nil
}

// firstLine returns the first line that is neither blank nor a comment.
func firstLine(head []byte) string {
	for line := range strings.Lines(string(head)) {
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// eachLine calls take with every line that is neither blank nor a comment. It adds the position to
// take's errors.
func eachLine(path string, take func(line string) error) error {
	f, err := format.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // read only: nothing to lose
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		if text := strings.TrimSpace(lines.Text()); text == "" || text[0] == '#' {
			continue
		}
		if err := take(lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: a line is longer than 1 MiB", path, n+1)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return nil
}

// baseName is the name of a file without its folder and without endings for formats and
// compression.
func baseName(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst", ".json", ".jsonl", ".tsv", ".txt", ".run", ".trec"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
