package runs

import (
	"cmp"
	"compress/gzip"
	"io"
	"strings"
	"unicode"

	"infbench/bench/results"
	"infbench/datasets/atomicfile"
	"infbench/metrics/trec"
)

// The endings of run files. A sweep has many and packs them; what evaluate
// writes any TREC tool must read, trec_eval among them, which unpacks nothing.
const (
	PlainRuns  = ".trec"
	PackedRuns = ".trec.gz"
)

// RunFile names the run of a task, without its ending; characters that are unsafe in file names
// cannot leave the folder.
func RunFile(benchmark, task string) string {
	return results.FileName(benchmark) + "." + results.FileName(task)
}

// RunTag is the last column of a run file, which may hold no white space and no
// control bytes.
func RunTag(model string) string {
	return cmp.Or(strings.Join(strings.FieldsFunc(model, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), "_"), "unnamed")
}

// WriteRun stores a run, packed where the name ends so, with nothing in a header
// that differs between two equal runs.
func WriteRun(fsys atomicfile.FS, path string, run trec.Run, tag string) error {
	return atomicfile.WriteTo(fsys, path, func(w io.Writer) error {
		if !strings.HasSuffix(path, PackedRuns) {
			return trec.WriteRun(w, run, tag)
		}
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		if err := trec.WriteRun(z, run, tag); err != nil {
			return err
		}
		return z.Close()
	})
}
