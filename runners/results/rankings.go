package results

import (
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/metrics/trec"
)

// RunName returns the slash-separated name of a task's ranking in a trial folder.
func RunName(benchmark, task string) string {
	return RunsDir + "/" + TaskFile(benchmark, task) + packedRun
}

// packedRun is the suffix of saved rankings. CopyRuns unpacks them for tools that only read
// plain run files.
const packedRun = ".trec.gz"

const packedJudgments = ".qrels.gz"

// TaskFile returns the name of a task's files, without a suffix. It replaces characters that
// are unsafe in file names, so that the name cannot leave the folder.
func TaskFile(benchmark, task string) string {
	return disk.FitName(FileName(benchmark)+"."+safeName(task), taskFileRoom)
}

// taskFileRoom is the number of characters left for the suffixes of a task's files.
const taskFileRoom = 30

// SameFiles reports whether the files of two tasks would have the same name.
func SameFiles(benchmark, task, otherBenchmark, otherTask string) bool {
	return TaskFile(benchmark, task) == TaskFile(otherBenchmark, otherTask)
}

// runTag returns the last column of a run file, which may not contain white space or control
// bytes.
func runTag(model string) string {
	return cmp.Or(strings.Join(strings.FieldsFunc(model, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), "_"), "unnamed")
}

// Run stores a model's ranking of a task. Its header contains nothing that differs between two
// equal runs.
func (w Writer) Run(benchmark, task string, run trec.Run, model string) error {
	return w.packedRun(filepath.FromSlash(RunName(benchmark, task)), run, model)
}

func (w Writer) packedRun(path string, run trec.Run, model string) error {
	return w.file(path, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		if err := trec.WriteRun(z, run, runTag(model)); err != nil {
			return err
		}
		return z.Close()
	})
}

// Run reads the saved ranking of a task, or returns fs.ErrNotExist.
func (r Reader) Run(benchmark, task string) (trec.Run, error) {
	d, err := r.at.Marker().read()
	if err != nil {
		return nil, err
	}
	return d.run(benchmark, task)
}

// run reads the ranking of a task from the manifest.
func (m manifest) run(benchmark, task string) (trec.Run, error) {
	name := RunName(benchmark, task)
	if m.Files[name] == "" {
		return nil, fs.ErrNotExist
	}
	if err := m.check(name, read); err != nil {
		return nil, err
	}
	run, _, err := openRun(m.at.file(name))
	return run, err
}

// HasRuns reports whether rankings were saved, even if there are none.
func (r Reader) HasRuns() bool { return exists(r.at.path(RunsDir)) }

// CopyRuns unpacks the rankings into another folder and returns their number. An imported trial
// may have none.
func (r Reader) CopyRuns(into string) (files int, err error) {
	if err := r.at.Marker().Verify(); err != nil {
		return 0, err
	}
	d, err := r.at.Marker().read()
	if err != nil {
		return 0, err
	}
	for _, kept := range slices.Sorted(maps.Keys(d.Files)) {
		name, found := strings.CutPrefix(kept, RunsDir+"/")
		if !found {
			continue
		}
		run, tag, err := openRun(r.at.file(kept))
		if err != nil {
			return files, err
		}
		name = strings.TrimSuffix(name, ".gz")
		if err := disk.Write(filepath.Join(into, name), func(w io.Writer) error { return trec.WriteRun(w, run, tag) }); err != nil {
			return files, err
		}
		files++
	}
	return files, nil
}

// openRun reads a saved ranking with its tag. A file without a line, which other programs
// refuse, belongs to a system that found nothing.
func openRun(path string) (run trec.Run, tag string, err error) {
	if run, tag, err = format.OpenRun(path, trec.Options{}); err == nil {
		return run, tag, nil
	}
	if empty, failed := isEmpty(path); failed == nil && empty {
		return trec.Run{}, "infbench", nil
	}
	return nil, "", err
}

// isEmpty reports whether a file is empty, after unpacking if its name asks for it.
func isEmpty(path string) (empty bool, err error) {
	f, err := disk.Stream(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, packedRun) {
		if r, err = gzip.NewReader(f); err != nil {
			return false, err
		}
	}
	_, err = io.ReadFull(r, make([]byte, 1))
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// Judgments stores the judgments that scored an imported ranking, packed. Equal judgments give
// equal bytes.
func (w Writer) Judgments(benchmark, task string, qrels trec.Qrels) error {
	return w.file(filepath.Join(judgmentsDir, TaskFile(benchmark, task)+packedJudgments), func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := trec.WriteQrels(z, qrels); err != nil {
			return err
		}
		return z.Close()
	})
}

// Judgments reads the judgments of a finished trial that Writer.Judgments stored, or returns
// nil.
func (r Reader) Judgments(benchmark, task string) (trec.Qrels, error) {
	d, err := r.at.Marker().read()
	if err != nil {
		return nil, err
	}
	name := judgmentsDir + "/" + TaskFile(benchmark, task) + packedJudgments
	if d.Files[name] == "" {
		return nil, nil
	}
	if err := d.check(name, read); err != nil {
		return nil, err
	}
	return format.OpenQrels(r.at.file(name), trec.Options{})
}
