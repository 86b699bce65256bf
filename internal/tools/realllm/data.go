package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"infbench/internal/tools/beir"
)

// cutCopy writes a collection in BEIR's layout with its first judged queries, their judged documents
// and so many others. Texts longer than so many bytes are cut and lose their title.
func cutCopy(from, to string, queries, others, most int) error {
	return beir.Cut(from, to, queries, func(line []byte, judged bool) ([]byte, error) {
		if others--; others < 0 && !judged {
			return nil, nil
		}
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, err
		}
		if text, _ := row["text"].(string); len(text) > most {
			row["text"], row["title"] = strings.TrimSpace(strings.ToValidUTF8(text[:most], "")), ""
		}
		return json.Marshal(row)
	})
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
