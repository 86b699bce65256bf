package curate

import (
	"encoding/json"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"infbench/internal/disk"
)

// The files of a finished corpus, in addition to those of its stages.
const (
	TrainFile  = "train.jsonl" // kept records
	FunnelFile = "funnel.json"
	DoneFile   = "done.json" // hashes of all other files; written last
)

// Verdicts are the answers of one judge for a record.
type Verdicts struct {
	Judge string     `json:"judge"`
	Right []Scenario `json:"right"` // the scenarios with a right answer
}

// Released is a line of a finished corpus: a record under the release's field names, with the
// origin of its texts and the judges' verdicts.
type Released struct {
	Record
	Kept     bool       `json:"kept"`
	Verdicts []Verdicts `json:"verdicts"`
}

// row is a Released as a row of parquet.
type row struct {
	ID                  string `parquet:"id"`
	QueryPositive       string `parquet:"query_positive"`
	InstructionPositive string `parquet:"instruction_positive"`
	Positive            string `parquet:"document_positive"`
	InstructionNegative string `parquet:"instruction_negative"`
	HardNegative1       string `parquet:"hard_negative_document_1"`
	QueryNegative       string `parquet:"query_negative"`
	HardNegative2       string `parquet:"hard_negative_document_2"`
	Kind                string `parquet:"kind,dict"`
	Poison              string `parquet:"poison,dict"`
	Source              string `parquet:"source,dict"`
	Synthetic           bool   `parquet:"synthetic"`
	Kept                bool   `parquet:"kept"`
	Verdicts            string `parquet:"verdicts"` // JSON
	Lineage             string `parquet:"lineage"`  // JSON
}

// release writes the corpus from its stages: the kept records, all judged records, and the funnel.
func (c *Corpus) release(made map[Stage][]Record, questions []Question) (*Funnel, error) {
	kept, err := Kept(sequence(questions), c.Keep)
	if err != nil {
		return nil, err
	}
	verdicts := verdictsOf(questions)
	var all, train []Released
	for _, r := range standing(made[Filtered]) {
		all = append(all, Released{r, kept[r.ID], verdicts[r.ID]})
		if kept[r.ID] {
			train = append(train, all[len(all)-1])
		}
	}
	for name, records := range map[string][]Released{TrainFile: train, UnfilteredFile: all} {
		if err := writeRelease(filepath.Join(c.Dir, name), records); err != nil {
			return nil, err
		}
	}
	funnel := newFunnel(made, questions, kept, c.Keep)
	return funnel, disk.WriteJSONTo(disk.OS{}, filepath.Join(c.Dir, FunnelFile), funnel)
}

func sequence(questions []Question) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for _, q := range questions {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// verdictsOf returns the judges' verdicts by record, in the order of asking.
func verdictsOf(questions []Question) map[string][]Verdicts {
	all := map[string][]Verdicts{}
	for _, q := range questions {
		for _, p := range q.Picks {
			of := all[q.Record]
			i := slices.IndexFunc(of, func(v Verdicts) bool { return v.Judge == p.Judge })
			if i < 0 {
				of, i = append(of, Verdicts{Judge: p.Judge, Right: []Scenario{}}), len(of)
			}
			if p.Candidate == q.Answer() && p.Candidate != None {
				of[i].Right = append(of[i].Right, q.Scenario)
			}
			all[q.Record] = of
		}
	}
	return all
}

// writeRelease writes records as JSON Lines and as parquet in the same folder.
func writeRelease(path string, records []Released) error {
	if err := writeLines(path, records); err != nil {
		return err
	}
	return disk.Write(ParquetOf(path), func(w io.Writer) error {
		out := parquet.NewGenericWriter[row](w, parquet.Compression(&parquet.Zstd))
		for _, r := range records {
			line, err := r.row()
			if err != nil {
				return err
			}
			if _, err := out.Write([]row{line}); err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// ParquetOf returns the path of the parquet version of a JSON Lines file.
func ParquetOf(path string) string { return path[:len(path)-len(filepath.Ext(path))] + ".parquet" }

func (r *Released) row() (row, error) {
	verdicts, err := json.Marshal(r.Verdicts)
	if err != nil {
		return row{}, err
	}
	lineage, err := json.Marshal(r.Lineage)
	return row{r.ID, r.QueryPositive, r.InstructionPositive, r.Positive, r.InstructionNegative, r.HardNegative1, r.QueryNegative, r.HardNegative2,
		string(r.Kind), string(r.Poison), r.Source, r.Synthetic, r.Kept, string(verdicts), string(lineage)}, err
}
