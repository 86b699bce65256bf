package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets/format"
	"infbench/internal/disk"
)

// A set of FollowTable as released by its authors, without the files of BEIR's form.
const (
	followTableTopics = "query_instruction.json"
	followTableFolder = "tables" // one text per table, named after it
	tableEnding       = ".txt"   // lists of tables may omit it
)

// IsReleasedFollowTable reports whether a folder is a set of FollowTable as released by its
// authors, and not also in BEIR's form.
func IsReleasedFollowTable(dir string) bool {
	_, err := format.Find(filepath.Join(dir, FollowTableQueries))
	return errors.Is(err, fs.ErrNotExist) && isThere(dir, followTableTopics)
}

// topic is a query with the tables that answer it, and the instructions that narrow it.
type topic struct {
	Query    string   `json:"query"`
	Positive []string `json:"query_positive"`
	Outs     []struct {
		Instruction string   `json:"instruction"`
		Positive    []string `json:"instruction_positive"`
	} `json:"outs"`
}

// ReadFollowTable reads a set as released by its authors. IDs are those of BEIR's form: the index
// of a topic, from 0, followed by that of an instruction. A topic without instructions is left out,
// but its index is not reused.
func ReadFollowTable(dir string) (set Collected, err error) {
	file := filepath.Join(dir, followTableTopics)
	topics, err := readList[topic](file)
	if err != nil {
		return set, err
	}
	if set.Documents, err = readTables(filepath.Join(dir, followTableFolder)); err != nil {
		return set, err
	}
	known := map[string]bool{}
	for _, d := range set.Documents {
		known[d.ID] = true
	}
	var bare, narrowed []Posed
	for i, t := range topics {
		if len(t.Outs) == 0 {
			continue
		}
		wrong := func(column string, err error) error {
			return fmt.Errorf("%s: query %d: %s: %w", file, i+1, column, err)
		}
		asked := Posed{ID: strconv.Itoa(i), Text: t.Query}
		if t.Query == "" {
			return set, wrong("query", errors.New("it is empty"))
		}
		if asked.Grades, err = answers(t.Positive, known); err != nil {
			return set, wrong("query_positive", err)
		}
		bare = append(bare, asked)
		for k, out := range t.Outs {
			q := Posed{ID: fmt.Sprintf("%d_%d", i, k), Text: t.Query, Instruction: out.Instruction, Narrows: asked.ID}
			if out.Instruction == "" {
				return set, wrong("instruction", errors.New("it is empty"))
			}
			if q.Grades, err = answers(out.Positive, known); err != nil {
				return set, wrong("instruction_positive", err)
			}
			narrowed = append(narrowed, q)
		}
	}
	if len(narrowed) == 0 {
		return set, fmt.Errorf("%s: no instructions", file)
	}
	set.Name, set.Depth, set.Queries = filepath.Base(dir), len(set.Documents), slices.Concat(bare, narrowed)
	set.Scorings = []Scoring{{"IRS", None}, {"nDCG@10", Changed}}
	return set, nil
}

// readTables reads the tables of a folder, sorted by name.
func readTables(dir string) (docs MemoryCorpus, err error) {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		id, is := strings.CutSuffix(e.Name(), tableEnding)
		if !is || e.IsDir() {
			continue
		}
		text, err := disk.ReadText(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		docs = append(docs, Document{ID: id, Text: string(text)})
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: no table (*%s)", dir, tableEnding)
	}
	return docs, nil
}

// answers returns judgments of grade 1 for tables by name.
func answers(names []string, known map[string]bool) (map[string]int, error) {
	if len(names) == 0 {
		return nil, errors.New("no table")
	}
	grades := map[string]int{}
	for _, name := range names {
		id := strings.TrimSuffix(name, tableEnding)
		if !known[id] {
			return nil, fmt.Errorf("%q is not a table in %s", name, followTableFolder)
		}
		grades[id] = 1
	}
	return grades, nil
}
