package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"infbench/internal/disk"
	"infbench/internal/tools/beir"
)

// reranked is the number of queries for which the language model reranks: each takes it a second
// for each document.
const reranked = 20

// absent reports whether shared data are missing. If so it prints their path.
func (b *board) absent(dir string) (bool, error) {
	found, err := disk.Exists(dir)
	if err == nil && !found {
		_, err = fmt.Fprintf(b.stdout, "real: SKIP: shared data absent at %s\n", dir)
	}
	return !found, err
}

// importScifact registers SciFact, and the same collection with the first queries only.
func (b *board) importScifact(ctx context.Context) (ok bool, err error) {
	dir := filepath.Join(b.shared, "data", "scifact", "beir")
	if missing, err := b.absent(dir); missing || err != nil {
		return false, err
	}
	few := filepath.Join(b.out, "scifact-20")
	return true, errors.Join(
		b.run(ctx, io.Discard, "data", "import", dir, "--name", "scifact"),
		beir.Cut(dir, few, reranked, func(line []byte, _ bool) ([]byte, error) { return line, nil }),
		b.run(ctx, io.Discard, "data", "import", few, "--name", "scifact-20"))
}

// importFollowTable registers FollowTable as private.
func (b *board) importFollowTable(ctx context.Context) (ok bool, err error) {
	dir := filepath.Join(b.shared, "data", "followtable")
	if missing, err := b.absent(dir); missing || err != nil {
		return false, err
	}
	return true, b.run(ctx, io.Discard, "data", "import", dir, "--name", "followtable", "--private")
}

// The record of MiniLM on SciFact in MTEB's public results, for the case that its file is not
// here: one number.
const (
	record     = "sentence-transformers__all-MiniLM-L6-v2/8b3219a92973c328a8e22fadcfa821b5dc75636a/SciFact.json"
	recordLess = `{"mteb_version": "1.12.75 (its file is absent here: nDCG@10 alone)", "scores": {"test": [{"hf_subset": "default", "languages": ["eng-Latn"], "ndcg_at_10": 0.64508}]}}` + "\n"
)

// published writes MTEB's record in the layout of its repository, and returns the folder.
func (b *board) published() (folder string, err error) {
	content, err := os.ReadFile(filepath.Join(b.shared, "data", "mteb-results", "SciFact.all-MiniLM-L6-v2.json"))
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(b.stdout, "real: MTEB's record of MiniLM is absent; its nDCG@10 alone is compared")
		content, err = []byte(recordLess), nil
	}
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.out, "mteb", record)
	return filepath.Join(b.out, "mteb"), errors.Join(disk.MkdirAll(disk.OS{}, filepath.Dir(file)), disk.WriteBytes(file, content))
}
