package main

import (
	"bufio"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/parquet-go/parquet-go"

	"infbench/datasets/format"
	"infbench/internal/disk"
)

const corpusFile = "corpus.parquet"

// parquetBout reads the text column of a file.
func parquetBout() bout {
	return bout{
		name:  "parquet",
		note:  "DuckDB sums the lengths of the texts, ours hands each text to its caller",
		rows:  []row{{name: "parquet", work: "parquet, a text column of 414 MB, zstd", against: []int{1}, ours: "read", theirs: "read"}},
		sides: []side{oursBy("parquet"), theirsBy("parquet_duckdb", "DuckDB", "parquet_duckdb.py")},
		prepare: func(_ context.Context, j *job) error {
			j.Timed = j.size(3, 1)
			return j.writeCorpus(j.size(180_000, 500))
		},
		check: sameText,
	}
}

// writeCorpus writes documents of about 340 words in row groups of 10,000.
func (j *job) writeCorpus(n int) error {
	type document struct {
		ID    string `parquet:"_id"`
		Title string `parquet:"title"`
		Text  string `parquet:"text"`
	}
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		for range 3 + rng.IntN(7) {
			words[i] += string(rune('a' + rng.IntN(26)))
		}
	}
	return writeFile(j.path(corpusFile), func(out *bufio.Writer) error {
		w := parquet.NewGenericWriter[document](out, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(10_000))
		for i := range n {
			var text strings.Builder
			for range 280 + rng.IntN(120) {
				text.WriteString(words[rng.IntN(len(words))])
				text.WriteByte(' ')
			}
			if _, err := w.Write([]document{{fmt.Sprintf("doc-%07d", i), "a title", text.String()}}); err != nil {
				return err
			}
		}
		return w.Close()
	})
}

func parquetSide(_ context.Context, j *job) (map[string][]float64, error) {
	if j.Check {
		if err := j.sumText("parquet.md5"); err != nil {
			return nil, err
		}
	}
	seconds, err := j.repeat(func() error {
		length := 0
		return j.eachText(func(text string) { length += len(text) })
	})
	return map[string][]float64{"read": seconds}, err
}

// eachText calls do with every text of the file in order.
func (j *job) eachText(do func(text string)) error {
	for row, err := range format.Rows([]string{j.path(corpusFile)}, []format.Column{{Name: "text"}}) {
		if err != nil {
			return err
		}
		do(row.Text(0))
	}
	return nil
}

// sumText writes the MD5 of the MD5s of all texts, in hexadecimal, which DuckDB can compute,
// too.
func (j *job) sumText(name string) error {
	sums := md5.New()
	err := j.eachText(func(text string) {
		sum := md5.Sum([]byte(text))
		sums.Write([]byte(hex.EncodeToString(sum[:])))
	})
	if err != nil {
		return err
	}
	return disk.WriteBytes(j.path(name), []byte(hex.EncodeToString(sums.Sum(nil))))
}

// sameText compares the sums of the column.
func sameText(j *job, ours, theirs string) error {
	a, err := readLines(j.path(ours + ".md5"))
	if err != nil {
		return err
	}
	b, err := readLines(j.path(theirs + ".md5"))
	if err != nil {
		return err
	}
	if a[0] != b[0] {
		return fmt.Errorf("the texts sum up to %s and %s", a[0], b[0])
	}
	return nil
}
