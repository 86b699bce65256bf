package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"infbench/internal/disk"
	"infbench/internal/tools/pyenv"
)

// luceneJars are the parts of Lucene that its side uses, with their SHA-256.
var luceneJars = map[string]string{
	"lucene-core":            "b64a3f8098a7572034fb30085cdee01b34ec81fb0e5a31b471536af58dc6c01b",
	"lucene-analysis-common": "fa571bd7caf0f0b4faf46a72ca004a7836f348c31d92bd522dddcc3d128d287e",
	"lucene-queryparser":     "5db83a184512fd7a46cf7b34efa997b5f1b28ad1cee26dd665180b19eab0a1b1",
}

const (
	luceneVersion = "9.12.3"
	mavenCopy     = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy" // the goal of mvn that fetches a file
)

// locateLucene fetches its jars into the cache and compiles its side.
func locateLucene(ctx context.Context, k *kit) error {
	for _, program := range []string{"java", "javac"} {
		if _, err := exec.LookPath(program); err != nil {
			return pyenv.Absent{Why: program + " is not installed"}
		}
	}
	dir := filepath.Join(k.cache, "lucene-"+luceneVersion)
	if err := pyenv.Once(ctx, "Lucene "+luceneVersion, dir, func() error { return fetchLucene(ctx, k.stdout, dir) }); err != nil {
		return err
	}
	path := []string{k.work}
	for _, name := range sortedKeys(luceneJars) {
		path = append(path, luceneJar(dir, name))
	}
	k.lucene = strings.Join(path, string(filepath.ListSeparator))
	compile := exec.CommandContext(ctx, "javac", "-d", k.work, "-cp", k.lucene, filepath.Join(k.theirs, "Lucene.java"))
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("javac: %w: %s", err, lastLines(string(out)))
	}
	return nil
}

func luceneJar(dir, name string) string {
	return filepath.Join(dir, name+"-"+luceneVersion+".jar")
}

// fetchLucene has mvn copy the jars into a folder, and checks their hashes. Nothing else that mvn
// fetches is kept.
func fetchLucene(ctx context.Context, log io.Writer, dir string) error {
	if _, err := exec.LookPath("mvn"); err != nil {
		return pyenv.Absent{Why: "mvn, which fetches Lucene, is not installed"}
	}
	fmt.Fprintf(log, "fetching Lucene into %s\n", dir)
	repository := filepath.Join(dir, "repository")
	for _, name := range sortedKeys(luceneJars) {
		mvn := exec.CommandContext(ctx, "mvn", "--batch-mode", "--quiet", "-Dstyle.color=never", "-Dmaven.repo.local="+repository, mavenCopy,
			"-Dartifact=org.apache.lucene:"+name+":"+luceneVersion, "-DoutputDirectory="+dir)
		mvn.Dir = dir
		if out, err := mvn.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w", name, mavenFault(err, out))
		}
		jar, err := os.ReadFile(luceneJar(dir, name))
		if err != nil {
			return err
		}
		if sum := disk.Sum(jar); sum != luceneJars[name] {
			return fmt.Errorf("%s: a file from the registry does not have the pinned hash: expected sha256 %s, got %s of %d bytes", name, luceneJars[name], sum, len(jar))
		}
	}
	return os.RemoveAll(repository)
}

// mavenFault returns the reason why mvn failed.
func mavenFault(err error, out []byte) error {
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	switch {
	case bytes.Contains(out, []byte("No space left on device")):
		return syscall.ENOSPC
	case bytes.Contains(out, []byte("Could not transfer artifact")):
		return pyenv.Absent{Why: "Maven Central cannot be reached: " + first}
	}
	return fmt.Errorf("mvn: %w: %s", err, first)
}
