// Package beir writes smaller copies of collections in BEIR's layout, for tools.
package beir

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
)

// Cut writes the first queries that the file of judgments names, with these judgments and with the
// documents that document keeps: it returns a line of corpus.jsonl as it is to be written, nil to
// leave it out. For a document that these judgments name, judged is true.
func Cut(from, to string, queries int, document func(line []byte, judged bool) ([]byte, error)) error {
	chosen, judged, header := map[string]bool{}, map[string]bool{}, true
	qrels, err := Filter(filepath.Join(from, "qrels", "test.tsv"), func(line []byte) (bool, error) {
		if header {
			header = false
			return true, nil
		}
		query, rest, _ := strings.Cut(string(line), "\t")
		if !chosen[query] && len(chosen) == queries {
			return false, nil
		}
		doc, _, _ := strings.Cut(rest, "\t")
		chosen[query], judged[doc] = true, true
		return true, nil
	})
	if err != nil {
		return err
	}
	kept, err := Filter(filepath.Join(from, "queries.jsonl"), func(line []byte) (bool, error) {
		id, err := ID(line)
		return chosen[id], err
	})
	if err != nil {
		return err
	}
	var corpus bytes.Buffer
	err = Lines(filepath.Join(from, "corpus.jsonl"), func(line []byte) error {
		id, err := ID(line)
		if err != nil {
			return err
		}
		text, err := document(line, judged[id])
		if text != nil {
			fmt.Fprintf(&corpus, "%s\n", text)
		}
		return err
	})
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"qrels/test.tsv": qrels, "queries.jsonl": kept, "corpus.jsonl": corpus.Bytes()} {
		if err := disk.WriteBytes(filepath.Join(to, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// ID returns the ID of a line of queries or documents.
func ID(line []byte) (string, error) {
	var of struct {
		ID string `json:"_id"`
	}
	return of.ID, json.Unmarshal(line, &of)
}

// Filter returns the lines of a file that are wanted.
func Filter(path string, wanted func(line []byte) (bool, error)) ([]byte, error) {
	var out bytes.Buffer
	err := Lines(path, func(line []byte) error {
		take, err := wanted(line)
		if take {
			fmt.Fprintf(&out, "%s\n", line)
		}
		return err
	})
	return out.Bytes(), err
}

// Lines calls use with the lines of a file; a file whose name ends in .gz is decompressed. Errors
// name the file.
func Lines(path string, use func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := io.Reader(f)
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if err := use(lines.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return lines.Err()
}
