package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/testkit"
	"infbench/metrics/kernel"
)

// usualTurns is the default number of turns for every side.
const usualTurns = 5

// settings are the flags of a comparison.
type settings struct {
	rows     []string // names of bouts; empty: all
	runs     int      // turns for every side
	threads  int
	small    bool   // sizes at which everything takes seconds; the figures mean nothing
	kernels  string // for our side; "": the fastest
	infbench string // the binary of infbench
	shared   string // folder of reference data
	work     string // for inputs
	out      string
	against  string
	page     string // with the tables
}

// readSettings parses and checks flags. The error for an unknown row lists the known ones.
func readSettings(args []string) (*settings, error) {
	s := &settings{}
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	rows := f.String("rows", "", "comma-separated `NAMES` of rows to run; empty: all of "+strings.Join(boutNames(), ", "))
	f.IntVar(&s.runs, "runs", usualTurns, "turns for every side")
	f.IntVar(&s.threads, "threads", runtime.NumCPU(), "threads of every side")
	f.BoolVar(&s.small, "small", false, "tiny inputs: a dry run without meaningful figures")
	f.StringVar(&s.kernels, "kernels", "", "the kernel `SET` of our side: "+strings.Join(kernel.Available(), ", ")+"; empty: the last")
	f.StringVar(&s.infbench, "infbench", filepath.Join("bin", "infbench"), "the `BINARY`, as make build leaves it")
	f.StringVar(&s.shared, "shared", testkit.Shared(), "`FOLDER` of reference data")
	f.StringVar(&s.work, "work", "", "`FOLDER` for inputs, 1 GiB; empty: a temporary one")
	f.StringVar(&s.out, "out", "", "also write the figures to a JSON `FILE`")
	f.StringVar(&s.against, "against", "", "name rows that are over 20 % worse than in a `FILE` of -out, and fail")
	f.StringVar(&s.page, "page", "", "write the tables between the markers of a `FILE`, if no row is left out and nothing fails")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if *rows != "" {
		s.rows = strings.Split(*rows, ",")
	}
	return s, s.check()
}

func (s *settings) check() error {
	for _, name := range s.rows {
		if !slices.Contains(boutNames(), name) {
			return nearest.Unknown("row", name, boutNames())
		}
	}
	if s.runs < 1 || s.threads < 1 {
		return fmt.Errorf("%d runs with %d threads: want at least 1 of each", s.runs, s.threads)
	}
	if s.page != "" && (len(s.rows) > 0 || s.small || s.runs < usualTurns) {
		return fmt.Errorf("%s only accepts the tables of all rows, with real inputs and at least %d turns: leave out -rows, -small and -runs, or -page", s.page, usualTurns)
	}
	if s.kernels != "" {
		if err := kernel.Use(s.kernels); err != nil {
			return err
		}
	}
	var err error
	for _, path := range []*string{&s.infbench, &s.shared, &s.work} {
		if *path != "" && err == nil {
			*path, err = filepath.Abs(*path)
		}
	}
	return err
}

// asked reports whether to run a bout.
func (s *settings) asked(name string) bool { return len(s.rows) == 0 || slices.Contains(s.rows, name) }
