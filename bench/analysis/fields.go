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

// defaultField is what corpora and benchmarks are asked for: what instructions say is
// what the paper measures the diversity of.
const defaultField = "instruction"

// field is a field of T, of which one value may have several texts.
type field[T any] struct {
	name string
	as   textRole
	of   func(T) []string
}

// recordFields are those of a training record: the three that the paper's Table 1
// counts, the texts of the poisoned triples with them, and each by itself.
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

// first and rest are the texts of the positive triple and of the poisoned ones.
func first(texts []string) []string { return texts[:min(1, len(texts))] }
func rest(texts []string) []string  { return texts[min(1, len(texts)):] }

// queryFields are those of a benchmark's queries, beside which stand its documents.
var queryFields = []field[datasets.Query]{
	{"instruction", roleQuery, func(q datasets.Query) []string { return []string{q.Instruction} }},
	{"query", roleQuery, func(q datasets.Query) []string { return []string{q.Text} }},
	{"document", roleDocument, nil},
}

// usualFields are the fields that a look at the whole of a source takes: instructions,
// queries and passages, or the text of a file.
func usualFields(name string) []string {
	switch {
	case catalog.IsCorpus(name), isRecords(name, ""):
		return []string{"instruction", "query", "passage"}
	case format.IsTable(name):
		return []string{""}
	}
	return []string{"instruction", "query", "document"}
}

// find returns the field of a name.
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

// readBenchmark reads a field of a benchmark's tasks; passage is document. Documents of a corpus that tasks
// share are read once.
func readBenchmark(b *datasets.Benchmark, name string) (*textSet, error) {
	if name == "passage" { // as a corpus calls it: one command compares both
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

// sameCorpus says whether two tasks hold one corpus, which files are opened as once.
func sameCorpus(a, b datasets.Corpus) bool {
	x, first := a.(*datasets.FileCorpus)
	y, second := b.(*datasets.FileCorpus)
	return first && second && x == y
}

// documentText is a document in one text, as encoders without a rule for titles read
// it.
func documentText(d datasets.Document) []string {
	if d.Title == "" {
		return []string{d.Text}
	}
	return []string{d.Title + " " + d.Text}
}

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

// add adds the texts that say something.
func (s *textSet) add(texts ...string) {
	for _, text := range texts {
		if text != "" {
			s.Texts = append(s.Texts, text)
		}
	}
}
