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

// textOptions select the texts to read.
type textOptions struct {
	Field string   // "": instruction of corpora and benchmarks, text of files
	World uint64   // seed of generated data
	Tasks []string // tasks of a benchmark; nil: all
}

// textSet is the texts of one field, in the order of their source.
type textSet struct {
	Source string // as the user named it
	Field  string
	As     textRole // the role in which an encoder reads them
	Texts  []string
}

// Pick returns the texts with these indices.
func (s *textSet) Pick(indices []int) []string {
	var out []string
	for _, i := range indices {
		out = append(out, s.Texts[i])
	}
	return out
}

// textRole is the role in which an encoder reads a text: models have different prompts for
// queries and documents.
type textRole string

// The roles.
const (
	roleQuery    textRole = "query"
	roleDocument textRole = "document"
)

// textRoles lists the roles.
func textRoles() []string { return []string{string(roleQuery), string(roleDocument)} }

// readTexts reads a column of a table (one syntax of package format), or a field of a training
// corpus, of your own training data (a file or folder), or of a benchmark or collection. A
// table column has precedence over a record field with the same name. Empty fields of records
// are left out. Without any text it returns an error.
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

// isRecords reports whether a file or folder holds training data with that field and without a
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

// defaultColumn is the default column of files.
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

// sumOfTexts is the SHA-256 of texts, each preceded by its length.
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
