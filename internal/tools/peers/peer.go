package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// peer is another program or library.
type peer struct {
	name    string
	debian  []string // packages that contain it
	npm     []string
	locate  func(ctx context.Context, k *kit) error // returns an error if it is not there
	command func(k *kit, script string) []string    // runs one of its scripts
}

// Debian's default BLAS is the reference implementation, with which PyTorch, FAISS and numpy
// are many times slower: that would not be a fair peer.
const openBLAS = "libopenblas0-pthread"

// The peers.
var (
	torch      = pythonPeer("PyTorch", "torch", "python3-torch", "python3-numpy", openBLAS)
	faiss      = pythonPeer("FAISS", "faiss", "python3-faiss", "python3-numpy", openBLAS)
	numpy      = pythonPeer("OpenBLAS", "numpy", "python3-numpy", openBLAS)
	lucene     = &peer{name: "Lucene", debian: []string{"liblucene8-java", "default-jdk-headless"}, locate: locateLucene, command: luceneCommand}
	tokenizers = nodePeer("tokenizers", "tokenizers", "0.23.2")
	duckDB     = nodePeer("DuckDB", "@duckdb/node-api", "1.5.6-r.1")
	trecEval   = &peer{name: trecEvalName, locate: locateTrecEval}
)

// pythonPeer is a module of Python.
func pythonPeer(name, module string, packages ...string) *peer {
	return &peer{name: name, debian: packages,
		locate: func(ctx context.Context, k *kit) (err error) {
			k.python[module], err = k.pythonWith(ctx, module)
			return err
		},
		command: func(k *kit, script string) []string {
			return []string{k.python[module], filepath.Join(k.theirs, script)}
		},
	}
}

// pythonWith finds the first python3 in the path that has a module with a fast BLAS.
func (k *kit) pythonWith(ctx context.Context, module string) (string, error) {
	reason := "no python3"
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		python := filepath.Join(dir, "python3")
		if _, err := os.Stat(python); err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, python, filepath.Join(k.theirs, "job.py"), module).CombinedOutput()
		if err == nil {
			return python, nil
		}
		reason = lastLines(string(out))
		reason = reason[strings.LastIndexByte(reason, '\n')+1:]
	}
	return "", fmt.Errorf("%s is not there: %s", module, reason)
}

// nodePeer is a module of Node.js, in the version that the scripts were written for.
func nodePeer(name, module, version string) *peer {
	return &peer{name: name, npm: []string{module + "@" + version},
		locate: func(ctx context.Context, k *kit) error {
			if _, err := exec.LookPath("node"); err != nil {
				return err
			}
			cmd := exec.CommandContext(ctx, "node", "-e", "require('"+module+"')")
			cmd.Env = append(os.Environ(), k.environment()...)
			if cmd.Run() != nil {
				return fmt.Errorf("node has no %s", module)
			}
			return nil
		},
		command: func(k *kit, script string) []string { return []string{"node", filepath.Join(k.theirs, script)} },
	}
}

// luceneJars are the parts of Lucene that its side uses.
var luceneJars = regexp.MustCompile(`^lucene-(core|analyzers-common|queryparser)-8[0-9.]*\.jar$`)

// locateLucene compiles its side against Debian's jars.
func locateLucene(ctx context.Context, k *kit) error {
	out, err := exec.CommandContext(ctx, "dpkg", "-L", "liblucene8-java").Output()
	if err != nil {
		return errors.New("liblucene8-java is not installed")
	}
	path := []string{k.work}
	for file := range strings.FieldsSeq(string(out)) {
		if luceneJars.MatchString(filepath.Base(file)) {
			path = append(path, file)
		}
	}
	k.lucene = strings.Join(path, string(filepath.ListSeparator))
	compile := exec.CommandContext(ctx, "javac", "-d", k.work, "-cp", k.lucene, filepath.Join(k.theirs, "Lucene.java"))
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("javac: %w: %s", err, lastLines(string(out)))
	}
	return nil
}

func luceneCommand(k *kit, class string) []string {
	return []string{"java", fmt.Sprintf("-XX:ActiveProcessorCount=%d", k.settings.threads), "-cp", k.lucene, class}
}

const trecEvalName = "trec_eval"

var trecVersion = regexp.MustCompile(`(?m)^VERSIONID *= *(\S+)`)

// locateTrecEval builds a copy of the given sources, optimised, which their Makefile does not
// do.
func locateTrecEval(ctx context.Context, k *kit) error {
	given := k.settings.trecEval
	if given == "" {
		return errors.New("no trec_eval given (TREC_EVAL=DIR, its sources)")
	}
	text, err := os.ReadFile(filepath.Join(given, "Makefile"))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no Makefile of trec_eval", given)
	}
	if err != nil {
		return err
	}
	if found := trecVersion.FindSubmatch(text); found != nil {
		k.versions[trecEvalName] = string(found[1])
	}
	copied := filepath.Join(k.work, "trec_eval")
	if err := copyFiles(copied, given, "*.[ch]", "Makefile"); err != nil {
		return err
	}
	flags := fmt.Sprintf(`CFLAGS=-O2 -w -I. -DVERSIONID=\"%s\"`, k.versions[trecEvalName])
	if out, err := exec.CommandContext(ctx, "make", "-C", copied, "trec_eval", flags).CombinedOutput(); err != nil {
		return fmt.Errorf("trec_eval: %w: %s", err, lastLines(string(out)))
	}
	return nil
}

// copyFiles copies the files of a folder that match patterns into a new one.
func copyFiles(to, from string, patterns ...string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o666)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
