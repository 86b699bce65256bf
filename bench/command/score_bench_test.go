package command

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkScore scores a run of 1,000 queries with 1,000 documents each (about 30 MB) with
// AP and nDCG@10, from the file to the printed result, on one core and on two, with the lines
// of each query ranked and shuffled. peak/file is the peak memory of the process relative to
// the file size.
func BenchmarkScore(b *testing.B) {
	for _, shuffled := range []bool{false, true} {
		dir := b.TempDir()
		size := writeLargeRun(b, dir, shuffled)
		for _, cores := range []int{1, 2} {
			b.Run(fmt.Sprintf("shuffled=%v/cores=%d", shuffled, cores), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				b.SetBytes(size)
				runtime.GC()
				resetPeak()
				for b.Loop() {
					if code := run([]string{"score", "--qrels", filepath.Join(dir, "qrels"), "--run", filepath.Join(dir, "run"),
						"--measure", "AP", "--measure", "nDCG@10"}, io.Discard, os.Stderr); code != exitOK {
						b.Fatal("exit", code)
					}
				}
				if peak := peakBytes(); peak > 0 {
					b.ReportMetric(float64(peak)/float64(size), "peak/file")
				}
			})
		}
	}
}

// writeLargeRun writes a run and judgments of 50 documents for each query, and returns the
// run's size.
func writeLargeRun(b *testing.B, dir string, shuffled bool) int64 {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	create := func(name string) (*os.File, *bufio.Writer) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		return f, bufio.NewWriter(f)
	}
	runFile, lines := create("run")
	qrelsFile, judgments := create("qrels")
	for q := range 1000 {
		order := random.Perm(1000)
		score := make([]float64, 1000)
		for rank := range score {
			score[rank] = 30 - float64(rank)/50 - random.Float64()/60
		}
		for i := range 1000 {
			rank := i
			if shuffled {
				rank = order[i]
			}
			fmt.Fprintf(lines, "%d Q0 %07d %d %.6f tag\n", q, (rank*7919+q*31)%5_000_000, rank+1, score[rank])
		}
		for j := range 50 {
			fmt.Fprintf(judgments, "%d 0 %07d %d\n", q, (j*j*7919+q*31)%5_000_000, j%4)
		}
	}
	for _, w := range []*bufio.Writer{lines, judgments} {
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	size, err := runFile.Seek(0, io.SeekEnd)
	if err != nil {
		b.Fatal(err)
	}
	runFile.Close()
	qrelsFile.Close()
	return size
}

// resetPeak resets the process's peak memory to its present memory; if the system cannot do
// that, the benchmark reports the peak of the complete process.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakBytes is the process's peak resident memory, 0 if the system does not report it.
func peakBytes() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}
