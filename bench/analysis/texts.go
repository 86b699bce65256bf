package analysis

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/runners/catalog"
)

// textOptions say which texts are read.
type textOptions struct {
	Field string   // "": instruction of corpora and benchmarks, text of files
	World uint64   // seed of generated data
	Tasks []string // of a benchmark; nil: all
}

// textSet is the texts of one field, in the order of their source.
type textSet struct {
	Source string // as it was named
	Field  string
	As     textRole // how an encoder is to read them
	Texts  []string
}

// Pick returns the texts of these indices.
func (s *textSet) Pick(indices []int) []string {
	var out []string
	for _, i := range indices {
		out = append(out, s.Texts[i])
	}
	return out
}

// textRole says how an encoder reads a text: models have other prompts for queries than
// for documents.
type textRole string

// The roles.
const (
	roleQuery    textRole = "query"
	roleDocument textRole = "document"
)

// textRoles lists the roles.
func textRoles() []string { return []string{string(roleQuery), string(roleDocument)} }

// readTexts reads a column of a table (one syntax of package format), or a field of a training
// corpus, of a file or folder of one's own training data, or of a benchmark or
// collection. A column of a table goes before a field of that name. Fields of records
// that are empty are left out. No text at all is an error.
func readTexts(name string, o textOptions) (*textSet, error) {
	set, err := open(name, o)
	if err != nil {
		return nil, err
	}
	if len(set.Texts) == 0 {
		return nil, fmt.Errorf("%s: no texts in field %s", name, set.Field)
	}
	set.Source = name
	return set, nil
}

func open(name string, o textOptions) (*textSet, error) {
	if err := catalog.CheckPublic(name); err != nil {
		return nil, err
	}
	switch {
	case format.IsTable(name):
		set, err := readTable(name, o.Field)
		if err != nil && isRecords(name, o.Field) {
			return readCorpus(name, o)
		}
		return set, err
	case catalog.IsCorpus(name):
		return readCorpus(name, o)
	}
	b, err := catalog.LoadBenchmark(name, o.World, o.Tasks...)
	if err != nil && isRecords(name, o.Field) {
		return readCorpus(name, o)
	}
	if unknown, ok := errors.AsType[*nearest.UnknownError](err); ok && unknown.Name == name {
		return nil, nearest.Unknown("training corpus or benchmark", name, append(catalog.Corpora(), datasets.Names()...))
	}
	if err != nil {
		return nil, err
	}
	if err := b.CheckPublic(); err != nil {
		return nil, err
	}
	return readBenchmark(b, o.Field)
}

// isRecords says whether a file or folder holds training data with that field and no
// column of that name.
func isRecords(name, column string) bool {
	if _, err := disk.Stat(name); err != nil {
		return false
	}
	if format.IsTable(name) && format.Check([]string{name}, []format.Column{{Name: cmp.Or(column, defaultColumn)}}) == nil {
		return false
	}
	_, unknown := find(recordFields, column)
	_, err := catalog.OpenData(name, 1)
	return unknown == nil && err == nil
}

// defaultColumn is what files are asked for.
const defaultColumn = "text"

// readTable reads a column of a file.
func readTable(file, field string) (*textSet, error) {
	field = cmp.Or(field, defaultColumn)
	set := &textSet{Field: field, As: roleQuery}
	for row, err := range format.Rows([]string{file}, []format.Column{{Name: field}}) {
		if err != nil {
			return nil, err
		}
		set.Texts = append(set.Texts, row.Text(0))
	}
	return set, nil
}

// sumOfTexts is the SHA-256 of texts, each with its length before it.
func sumOfTexts(texts []string) string {
	all := sha256.New()
	var length [8]byte
	for _, text := range texts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		all.Write(length[:])
		all.Write([]byte(text))
	}
	return fmt.Sprintf("%x", all.Sum(nil))
}
