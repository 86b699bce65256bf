package runs

import (
	"compress/gzip"
	"io"

	"infbench/datasets/atomicfile"
	"infbench/metrics/trec"
)

// JudgmentsDir keeps the judgments that scored imported rankings.
const (
	JudgmentsDir    = "qrels"
	PackedJudgments = ".qrels.gz"
)

// WriteJudgments stores judgments, packed, equal ones as equal bytes.
func WriteJudgments(fsys atomicfile.FS, path string, qrels trec.Qrels) error {
	return atomicfile.WriteTo(fsys, path, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := trec.WriteQrels(z, qrels); err != nil {
			return err
		}
		return z.Close()
	})
}
