package analysis

import (
	"cmp"
	"iter"
	"slices"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/nearest"
	"infbench/runners/catalog"
)

// defaultField is the field of corpora and benchmarks: the paper measures the diversity of
// instructions.
const defaultField = "instruction"

// field is a field of T; one value may have several texts in it.
type field[T any] struct {
	name string
	as   textRole
	of   func(T) []string
}

// recordFields are the fields of a training record: the three that the paper's Table 1 counts,
// which include the texts of the poisoned triples, and each text by itself.
var recordFields = []field[datasets.Record]{
	{"instruction", roleQuery, datasets.Record.Instructions},
	{"query", roleQuery, datasets.Record.Queries},
	{"passage", roleDocument, datasets.Record.Passages},
	{"instruction_positive", roleQuery, func(r datasets.Record) []string { return first(r.Instructions()) }},
	{"instruction_negative", roleQuery, func(r datasets.Record) []string { return rest(r.Instructions()) }},
	{"query_positive", roleQuery, func(r datasets.Record) []string { return first(r.Queries()) }},
	{"query_negative", roleQuery, func(r datasets.Record) []string { return rest(r.Queries()) }},
	{"document_positive", roleDocument, func(r datasets.Record) []string { return first(r.Passages()) }},
	{"hard_negative_document_1", roleDocument, func(r datasets.Record) []string { return r.Passages()[1:max(1, len(r.Instructions()))] }},
	{"hard_negative_document_2", roleDocument, func(r datasets.Record) []string {
		return r.Passages()[len(r.Rows)-len(rest(r.Queries())):]
	}},
	{"negatives", roleDocument, datasets.Record.Negatives},
}

// first returns the text of the positive triple, rest those of the poisoned triples.
func first(texts []string) []string { return texts[:min(1, len(texts))] }
func rest(texts []string) []string  { return texts[min(1, len(texts)):] }

// queryFields are the fields of a benchmark's queries; its documents are read separately.
var queryFields = []field[datasets.Query]{
	{"instruction", roleQuery, func(q datasets.Query) []string { return []string{q.Instruction} }},
	{"query", roleQuery, func(q datasets.Query) []string { return []string{q.Text} }},
	{"document", roleDocument, nil},
}

// usualFields are the default fields of a complete source: instructions, queries and passages,
// or the text of a file.
func usualFields(name string) []string {
	switch {
	case catalog.IsCorpus(name), isRecords(name, ""):
		return []string{"instruction", "query", "passage"}
	case format.IsTable(name):
		return []string{""}
	}
	return []string{"instruction", "query", "document"}
}

// find returns the field with a name.
func find[T any](fields []field[T], name string) (field[T], error) {
	name = cmp.Or(name, defaultField)
	i := slices.IndexFunc(fields, func(f field[T]) bool { return f.name == name })
	if i >= 0 {
		return fields[i], nil
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return field[T]{}, nearest.Unknown("field", name, names)
}

// readCorpus reads a field of every record of a training corpus.
func readCorpus(name string, o textOptions) (*textSet, error) {
	f, err := find(recordFields, o.Field)
	if err != nil {
		return nil, err
	}
	corpora, err := catalog.OpenData(name, o.World)
	if err != nil {
		return nil, err
	}
	set := &textSet{Field: f.name, As: f.as}
	for _, c := range corpora {
		if err := addAll(set, c.All, f.of); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// readBenchmark reads a field of a benchmark's tasks; passage means document. Documents of a
// corpus that several tasks share are read once.
func readBenchmark(b *datasets.Benchmark, name string) (*textSet, error) {
	if name == "passage" { // the name in corpora, so that one command compares both
		name = "document"
	}
	f, err := find(queryFields, name)
	if err != nil {
		return nil, err
	}
	set := &textSet{Field: f.name, As: f.as}
	var read []datasets.Corpus
	for i := range b.Tasks {
		task := &b.Tasks[i]
		if f.of != nil {
			for _, q := range task.Queries {
				set.add(f.of(q)...)
			}
			continue
		}
		if slices.ContainsFunc(read, func(c datasets.Corpus) bool { return sameCorpus(c, task.Corpus) }) {
			continue
		}
		read = append(read, task.Corpus)
		if err := addAll(set, task.Corpus.Documents(), documentText); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// sameCorpus reports whether two tasks share a corpus, which then is one opened file.
func sameCorpus(a, b datasets.Corpus) bool {
	x, first := a.(*datasets.FileCorpus)
	y, second := b.(*datasets.FileCorpus)
	return first && second && x == y
}

func documentText(d datasets.Document) []string { return []string{d.Full()} }

// addAll adds the texts of a stream.
func addAll[T any](set *textSet, all iter.Seq2[T, error], of func(T) []string) error {
	for item, err := range all {
		if err != nil {
			return err
		}
		set.add(of(item)...)
	}
	return nil
}

// add adds the texts that are not blank.
func (s *textSet) add(texts ...string) {
	for _, text := range texts {
		if text != "" {
			s.Texts = append(s.Texts, text)
		}
	}
}
