// Command reference compares infbench with the libraries that people use: both open variants
// of small model folders; vectors, scores, token IDs and lengths must be equal, or the folder
// must be refused by name. Then it trains a small sweep and opens its folders with both. It
// measures no speed (make peers does).
//
// Run it in the repository: make reference. library/ has the Python side; library.txt in
// internal/tools/pyenv and pylate.txt pin its packages.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"infbench/internal/tools/pyenv"
)

func main() { pyenv.Main("reference", run) }

// pylatePins has the pins of PyLate, which wants its own version of sentence-transformers.
//
//go:embed pylate.txt
var pylatePins []byte

// settings are the flags.
type settings struct {
	infbench, sources, only, out string
	pairs                        int
	fetchOnly                    bool
}

func run(ctx context.Context, stdout io.Writer, args []string) (err error) {
	var s settings
	flags := flag.NewFlagSet("reference", flag.ContinueOnError)
	flags.StringVar(&s.infbench, "infbench", "bin/infbench", "`program` that trains")
	flags.StringVar(&s.sources, "sources", "internal/tools/reference", "`folder` with library/")
	flags.StringVar(&s.only, "only", "", "compare only variants whose name matches this `expression`")
	flags.IntVar(&s.pairs, "pairs", 20, "pairs of changes of each kind of folder")
	flags.StringVar(&s.out, "out", "", "keep the compared folders in this `folder`")
	flags.BoolVar(&s.fetchOnly, "environments", false, "make the Python environments, print their Pythons and end")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder, err := pyenv.Folder()
	if err != nil {
		return err
	}
	library, err := pyenv.Make(ctx, stdout, folder, "library", pyenv.Library)
	if err != nil {
		return err
	}
	pylate, err := pyenv.Make(ctx, stdout, folder, "pylate", pylatePins)
	if gap := (pyenv.Absent{}); errors.As(err, &gap) {
		fmt.Fprintln(stdout, "reference: SKIP: models saved by PyLate:", gap)
	} else if err != nil {
		return err
	}
	if s.fetchOnly {
		_, err := fmt.Fprintf(stdout, "%s\n%s\n", library, pylate)
		return err
	}
	if s.out == "" {
		if s.out, err = os.MkdirTemp("", "infbench-reference"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(s.out)) }()
	}
	if s.out, err = filepath.Abs(s.out); err != nil {
		return err
	}
	c := comparison{settings: s}
	err = c.all(ctx, library, pylate) // show the comparisons made so far in any case
	if n := printTable(stdout, c.outcomes); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d silent differences", n))
	}
	return err
}

// all compares everything; pylate may be "".
func (c *comparison) all(ctx context.Context, library, pylate string) error {
	usual := []string{c.out, "--pairs", fmt.Sprint(c.pairs), "--only", c.only}
	if err := c.script(ctx, library, "variants.py", usual...); err != nil {
		return err
	}
	if pylate != "" {
		if err := c.script(ctx, pylate, "variants_pylate.py", usual...); err != nil {
			return err
		}
	}
	folders, err := c.train(ctx)
	if err != nil || len(folders) == 0 { // not chosen
		return err
	}
	return c.script(ctx, library, "trained.py", folders...)
}

// comparison collects the comparisons made so far.
type comparison struct {
	settings
	ours     *ours
	outcomes []outcome
}

// script runs a script of library/, which makes folders and writes the library's results for
// each, as a line of JSON. Each is compared while the script goes on.
func (c *comparison) script(ctx context.Context, python, name string, args ...string) (err error) {
	script := exec.CommandContext(ctx, python, append([]string{filepath.Join(c.sources, "library", name)}, args...)...)
	script.Stderr = os.Stderr
	script.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := script.StdoutPipe()
	if err != nil {
		return err
	}
	if err := script.Start(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			script.Process.Kill() // it waits for a reader
		}
		if done := script.Wait(); err == nil && done != nil {
			err = fmt.Errorf("%s: %w", name, done)
		}
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		v := new(variant)
		if err := json.Unmarshal(lines.Bytes(), v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.compare(ctx, v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return lines.Err()
}

// compare opens a folder on our side.
func (c *comparison) compare(ctx context.Context, v *variant) (err error) {
	if err := c.open(); err != nil {
		return err
	}
	answer, err := c.ours.read(ctx, v.Kind, v.Folder)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.outcomes = append(c.outcomes, v.judge(answer, err))
	v.release()
	return nil
}

// open opens our side once variants.py has written the texts.
func (c *comparison) open() (err error) {
	if c.ours == nil {
		c.ours, err = newOurs(filepath.Join(c.out, "texts.json"))
	}
	return err
}
