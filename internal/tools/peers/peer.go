package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"infbench/internal/tools/pyenv"
)

// peer is what sides need besides this program. If locate cannot get it on this machine, the
// error is pyenv.Absent.
type peer struct {
	locate func(ctx context.Context, k *kit) error
}

// The peers.
var (
	python            = &peer{locatePython}
	pythonAndCompiler = &peer{locateCompiler}
	lucene            = &peer{locateLucene}
)

// locatePython makes the Python environment, or finds it in the cache.
func locatePython(ctx context.Context, k *kit) (err error) {
	k.python, err = pyenv.Make(ctx, k.stdout, k.cache, "library", pyenv.Library)
	return err
}

// locateCompiler also looks for the compiler that torch.compile calls.
func locateCompiler(ctx context.Context, k *kit) error {
	if _, err := exec.LookPath("g++"); err != nil {
		return pyenv.Absent{Why: "there is no g++, with which PyTorch compiles"}
	}
	return k.find(ctx, python)
}

// luceneJars are the parts of Lucene that its side uses, with their SHA-256.
var luceneJars = map[string]string{
	"lucene-core":            "b64a3f8098a7572034fb30085cdee01b34ec81fb0e5a31b471536af58dc6c01b",
	"lucene-analysis-common": "fa571bd7caf0f0b4faf46a72ca004a7836f348c31d92bd522dddcc3d128d287e",
	"lucene-queryparser":     "5db83a184512fd7a46cf7b34efa997b5f1b28ad1cee26dd665180b19eab0a1b1",
}

const (
	luceneVersion = "9.12.3"
	luceneSource  = "https://repo1.maven.org/maven2/org/apache/lucene"
)

// locateLucene fetches its jars and compiles its side.
func locateLucene(ctx context.Context, k *kit) error {
	for _, program := range []string{"java", "javac"} {
		if _, err := exec.LookPath(program); err != nil {
			return pyenv.Absent{Why: "there is no " + program}
		}
	}
	path := []string{k.work}
	for _, name := range sortedKeys(luceneJars) {
		address := fmt.Sprintf("%s/%s/%s/%[2]s-%[3]s.jar", luceneSource, name, luceneVersion)
		jar, err := pyenv.FetchFile(ctx, k.stdout, k.cache, address, luceneJars[name])
		if err != nil {
			return err
		}
		path = append(path, jar)
	}
	k.lucene = strings.Join(path, string(filepath.ListSeparator))
	compile := exec.CommandContext(ctx, "javac", "-d", k.work, "-cp", k.lucene, filepath.Join(k.theirs, "Lucene.java"))
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("javac: %w: %s", err, lastLines(string(out)))
	}
	return nil
}
