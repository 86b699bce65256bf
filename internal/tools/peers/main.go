// Command peers measures infbench next to other programs that do the same work: PyTorch,
// sentence-transformers, ONNX Runtime, FAISS, OpenBLAS, pytrec-eval, Lucene, bm25s, tokenizers,
// DuckDB. Our side and theirs run in turn on the same inputs, each in its own process with the
// same number of threads, after a check that both compute the same. It does not benchmark
// parts (make bench does), and its figures hold for the machine it ran on.
//
// Run it in the repository: make peers. A bout is the work that sides do in turn; the file
// named after it has its inputs, our side and the check, and theirs/ has the peers' sides. The Python
// libraries are in the environment that make reference uses, too (internal/tools/pyenv).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"infbench/internal/tools/pyenv"
)

func main() { pyenv.Main("peers", run) }

// sideWord and prepareWord are the first arguments of processes that this program starts from
// itself, followed by the name of a side or a bout and its folder.
const (
	sideWord    = "side"
	prepareWord = "prepare"
)

// run compares, or is one of the processes of a comparison.
func run(ctx context.Context, stdout io.Writer, args []string) error {
	if len(args) == 3 && args[0] == sideWord {
		return runSide(ctx, stdout, args[1], args[2])
	}
	if len(args) == 3 && args[0] == prepareWord {
		return runPrepare(ctx, args[1], args[2])
	}
	s, err := readSettings(args)
	if err != nil {
		return err
	}
	r, err := s.measure(ctx, stdout)
	if r == nil {
		return err
	}
	if err != nil && s.page != "" {
		err = errors.Join(err, fmt.Errorf("%s was not changed", s.page))
		s.page = ""
	}
	return errors.Join(err, s.publish(stdout, r))
}

// publish prints a record, saves it if asked, and compares it with an older one.
func (s *settings) publish(stdout io.Writer, r *record) error {
	if err := r.print(stdout); err != nil {
		return err
	}
	if s.out != "" {
		if err := r.write(s.out); err != nil {
			return err
		}
	}
	if s.page != "" {
		if err := r.writePage(s.page); err != nil {
			return err
		}
	}
	if s.against == "" {
		return nil
	}
	before, err := readRecord(s.against)
	if err != nil {
		return err
	}
	return r.holdTo(before, stdout)
}
