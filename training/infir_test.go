package training

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/training/encoder"
)

// infIR holds three records with the fields of the corpus.
const infIR = `{"query_positive": "capital of france", "instruction_positive": "name the city only", "document": "Paris is the capital of France.", "query_negative": "largest port of france", "instruction_negative": "tell its history", "hard_negative_document_1": "Paris grew from a Roman town into a capital.", "hard_negative_document_2": "Marseille has the largest port of France."}
{"query_positive": "boil an egg", "instruction_positive": "give minutes", "document": "Eight minutes.", "query_negative": "fry an egg", "instruction_negative": "explain the chemistry", "hard_negative_document_1": "Proteins set as they are heated.", "hard_negative_document_2": "Three minutes in a pan."}
{"query_positive": "python lists", "instruction_positive": "name the city only", "document": "There is no city.", "query_negative": "python snakes", "instruction_negative": "show code", "hard_negative_document_1": "x = [1, 2]", "hard_negative_document_2": "Pythons live in Asia."}
`

// records reads infIR as training does.
func records(t *testing.T) []datasets.Triplet {
	t.Helper()
	path := filepath.Join(t.TempDir(), "train.jsonl")
	if err := os.WriteFile(path, []byte(infIR), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := datasets.LoadRecords(path, "")
	if err != nil {
		t.Fatal(err)
	}
	var list []datasets.Triplet
	for r, err := range file.All() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, datasets.Triplet{
			ID:                  r.ID,
			InstructionPositive: r.Rows[0].Instruction, QueryPositive: r.Rows[0].Query, Positive: r.Rows[0].Passage,
			InstructionNegative: r.Rows[1].Instruction, HardNegative1: r.Rows[1].Passage,
			QueryNegative: r.Rows[2].Query, HardNegative2: r.Rows[2].Passage,
		})
	}
	return list
}

// TestBatchOfInfIR goes from records to the tokens that a step embeds, and checks a seeded batch
// against spec/training.md (sections 1.2 and 2): three rows a record in their order; every row is
// an anchor whose own passage is its label; the instructions in its contrast are under its own
// query and drawn in its own group without repeats; and the right ones of them count.
func TestBatchOfInfIR(t *testing.T) {
	data := records(t)
	rows := Rows(of(data))
	if len(rows) != 9 || rows[4] != (Row{"explain the chemistry", "boil an egg", "Proteins set as they are heated."}) ||
		rows[8] != (Row{"name the city only", "python snakes", "Pythons live in Asia."}) {
		t.Fatalf("rows %+v", rows)
	}
	for _, w := range []struct {
		fidelity                      string
		rowsPerGroup, groups, divisor int
		rows, drawn, uncounted        string // of batch 0 with seed 42
	}{
		// One group of nine: 9/2 candidates, the own one and three drawn.
		{"reference", 9, 1, 2, "[3 4 5 0 1 2 6 7 8]",
			"[[5 0 7] [6 8 7] [6 1 3] [7 6 4] [0 6 7] [3 8 4] [0 5 2] [6 4 5] [3 0 5]]", "[]"},
		// The record's own hard negative comes first. Equal instructions, which the first and the
		// third record share, do not count.
		{"recommended", 9, 1, 2, "[3 4 5 0 1 2 6 7 8]",
			"[[4 0 7] [3 8 7] [4 1 3] [1 6 4] [0 6 7] [1 8 4] [7 5 2] [6 4 5] [7 0 5]]", "[5:3 0:6 2:8 6:2 8:0]"},
		// Three groups of a record each: the other two rows of the record.
		{"reference", 3, 3, 1, "[3 4 5 0 1 2 6 7 8]",
			"[[4 5] [3 5] [4 3] [2 1] [2 0] [1 0] [8 7] [6 8] [7 6]]", "[]"},
	} {
		c := DefaultConfig()
		c.Fidelity, c.RowsPerGroup, c.Groups, c.Negatives.Divisor, c.Seed = w.fidelity, w.rowsPerGroup, w.groups, w.divisor, 42
		o, err := c.Objective()
		if err != nil {
			t.Fatal(err)
		}
		l := Contrastive{Multi, P | I | IQ}
		s, err := newSampler(c, o, l, of(data))
		if err != nil {
			t.Fatal(err)
		}
		b := s.batch(0)
		var uncounted []string
		for a, marks := range b.Counted {
			for k, counted := range marks {
				if !counted {
					uncounted = append(uncounted, fmt.Sprintf("%d:%d", b.Rows[a], b.Instructions[a][k]))
				}
				if j := b.Instructions[a][k]; slices.Index(b.Rows, j)/w.rowsPerGroup != a/w.rowsPerGroup || j == b.Rows[a] {
					t.Errorf("%s: row %d draws from row %d, of another group or itself", w.fidelity, b.Rows[a], j)
				}
			}
		}
		if got := fmt.Sprint(b.Rows); got != w.rows {
			t.Errorf("%s: rows %s, want %s", w.fidelity, got, w.rows)
		}
		if got := fmt.Sprint(b.Instructions); got != w.drawn {
			t.Errorf("%s: instructions %s, want %s", w.fidelity, got, w.drawn)
		}
		if got := fmt.Sprint(uncounted); got != w.uncounted {
			t.Errorf("%s: not counted %s, want %s", w.fidelity, got, w.uncounted)
		}
		checkTokens(t, s, b, data)
	}
}

// checkTokens compares the texts of a batch with the tokens that a step embeds.
func checkTokens(t *testing.T, s *sampler, b Batch, data []datasets.Triplet) {
	t.Helper()
	enc := newEncoder(t, data)
	tk := newTokens(enc, "", s.rows, true)
	e := tk.encode(b, s.mixed())
	n := len(b.Rows)
	expect := func(what string, at int, ids []int32) {
		t.Helper()
		if !slices.Equal(e.sequences[at], ids) {
			t.Errorf("%s: sequence %d is %s", what, at, spelled(enc, e.sequences[at]))
		}
	}
	for a, i := range b.Rows {
		row := s.rows[i]
		expect("label of "+row.Query, a, enc.Tokens().Document("", row.Passage))
		expect("anchor "+row.Query, n+a, enc.Tokens().Query(row.Query, row.Instruction))
		for k, j := range b.Instructions[a] {
			expect("negative of "+row.Query, n+int(e.instructions[a][k]), enc.Tokens().Query(row.Query, s.rows[j].Instruction))
		}
	}
}

func spelled(enc *encoder.Encoder, ids []int32) string {
	var words []string
	for _, id := range ids {
		words = append(words, enc.Tokenizer().Token(id))
	}
	return strings.Join(words, " ")
}
