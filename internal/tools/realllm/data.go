package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// cutCopy writes a collection in BEIR's layout with its first judged queries, their judged documents
// and so many others. Texts longer than so many bytes are cut and lose their title.
func cutCopy(from, to string, queries, others, most int) error {
	if err := os.MkdirAll(filepath.Join(to, "qrels"), 0o777); err != nil {
		return err
	}
	qrels, err := os.ReadFile(filepath.Join(from, "qrels", "test.tsv"))
	if err != nil {
		return err
	}
	chosen, judged, kept := map[string]bool{}, map[string]bool{}, []string{"query-id\tcorpus-id\tscore"}
	for line := range strings.Lines(string(qrels)) {
		query, rest, _ := strings.Cut(line, "\t")
		document, _, _ := strings.Cut(rest, "\t")
		if _, err := strconv.Atoi(query); err != nil || len(chosen) == queries && !chosen[query] {
			continue
		}
		chosen[query], judged[document] = true, true
		kept = append(kept, strings.TrimSpace(line))
	}
	if err := os.WriteFile(filepath.Join(to, "qrels", "test.tsv"), []byte(strings.Join(kept, "\n")+"\n"), 0o666); err != nil {
		return err
	}
	if err := copyLines(from, to, "queries.jsonl", func(row map[string]any) bool { return chosen[fmt.Sprint(row["_id"])] }); err != nil {
		return err
	}
	return copyLines(from, to, "corpus.jsonl", func(row map[string]any) bool {
		if others--; others < 0 && !judged[fmt.Sprint(row["_id"])] {
			return false
		}
		if text, _ := row["text"].(string); len(text) > most {
			row["text"], row["title"] = strings.TrimSpace(strings.ToValidUTF8(text[:most], "")), ""
		}
		return true
	})
}

// copyLines copies the lines of a JSONL file that keep accepts, which may change them.
func copyLines(from, to, name string, keep func(row map[string]any) bool) error {
	out, err := os.Create(filepath.Join(to, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	encoder := json.NewEncoder(w)
	err = eachRow(filepath.Join(from, name), func(row map[string]any) error {
		if !keep(row) {
			return nil
		}
		return encoder.Encode(row)
	})
	return errors.Join(err, w.Flush(), out.Close())
}

// eachRow calls use with the rows of a JSONL file.
func eachRow(path string, use func(row map[string]any) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	for decoder := json.NewDecoder(in); decoder.More(); {
		var row map[string]any
		if err := decoder.Decode(&row); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := use(row); err != nil {
			return err
		}
	}
	return nil
}

// readRun returns the scores in the only run file of an evaluation, by query and document.
func readRun(out string) (map[[2]string]float64, error) {
	found, err := filepath.Glob(filepath.Join(out, "runs", "*.trec.gz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%d run files in %s", len(found), out)
	}
	f, err := os.Open(found[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	scores := map[[2]string]float64{}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 6 {
			return nil, fmt.Errorf("%s: %q", found[0], lines.Text())
		}
		if scores[[2]string{fields[0], fields[2]}], err = strconv.ParseFloat(fields[4], 64); err != nil {
			return nil, err
		}
	}
	return scores, lines.Err()
}
