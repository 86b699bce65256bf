package datasets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"infbench/internal/disk"
)

// ExcluIR's files.
const (
	excluIRCorpus  = "corpus.json"            // a list of texts
	excluIRQueries = "test_manual_final.json" // a list of objects
)

// excluIR returns ExcluIR: queries that ask for one document and rule out another. It is available
// only from Google Drive and has no licence.
func excluIR() Suite {
	return Suite{
		Name: "excluir", About: "ExcluIR: queries that ask for one document and rule out another",
		Licence:   "none stated",
		Citation:  "Zhang et al. 2024, ExcluIR: Exclusionary Neural Information Retrieval, arXiv:2404.17288",
		Elsewhere: "https://github.com/zwh-sdu/ExcluIR at 60478dd, whose README links " + excluIRCorpus + " and " + excluIRQueries,
		Protocol:  "Rank the whole corpus, 10 documents deep. The authors round each number to two digits of a percent before they subtract.", //plain:ok recorded with runs
		Measures:  []string{"R@1", "RR@10", "dR@1", "dRR@10", "RightRank@10"},
		Parts:     []SuitePart{{Task: "test"}},
	}
}

// writtenQuery is a query as its file has it: with the names of the authors' scripts, or with those
// of their README.
type writtenQuery struct {
	Query    string `json:"ExcluQ"`
	Rewrite  string `json:"RQ_rewrite"`
	Index    []int  `json:"index"`
	SubIndex []int  `json:"corpus_sub_index"`
}

// ReadExcluIR reads the task in a folder. The IDs of documents and queries are their indexes from
// 0. A query's index field has first the document that it rules out, then the document that it asks
// for.
func ReadExcluIR(dir string) (task Collected, err error) {
	texts, err := readList[string](filepath.Join(dir, excluIRCorpus))
	if err != nil {
		return task, err
	}
	for i, text := range texts {
		task.Documents = append(task.Documents, Document{ID: strconv.Itoa(i), Text: text})
	}
	file := filepath.Join(dir, excluIRQueries)
	rows, err := readList[writtenQuery](file)
	if err != nil {
		return task, err
	}
	for i, r := range rows {
		text, index := cmp.Or(r.Query, r.Rewrite), r.Index
		if index == nil {
			index = r.SubIndex
		}
		switch {
		case text == "":
			err = errors.New("no ExcluQ or RQ_rewrite")
		case len(index) != 2 || index[0] == index[1]:
			err = fmt.Errorf("index %v is not two documents, the one ruled out and the one asked for", index)
		case slices.Min(index) < 0 || slices.Max(index) >= len(texts):
			err = fmt.Errorf("index %v: %s has %d texts", index, excluIRCorpus, len(texts))
		}
		if err != nil {
			return task, fmt.Errorf("%s: query %d: %w", file, i+1, err)
		}
		task.Queries = append(task.Queries, Posed{ID: strconv.Itoa(i), Text: text,
			Grades: map[string]int{strconv.Itoa(index[1]): 1, strconv.Itoa(index[0]): 0}})
	}
	task.Name = "test"
	for _, m := range excluIR().Measures {
		task.Scorings = append(task.Scorings, Scoring{Measure: m})
	}
	return task, nil
}

// readList reads a JSON file with a single list.
func readList[T any](file string) (list []T, err error) {
	data, err := disk.ReadText(file)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &list); err != nil {
		at := int64(0)
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = wrong.Offset
		} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = wrong.Offset
		}
		line := 1 + bytes.Count(data[:min(at, int64(len(data)))], []byte{'\n'})
		return nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: the list is empty", file)
	}
	return list, nil
}
