package training

import (
	"cmp"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
)

// tokens turns batches into the arrays that a step takes. Anchors and passages are tokenised once
// and kept as ids, four bytes a token: 65 MB for the 38,759 records of InF-IR. Terms mix too many
// instruction-query pairs for that, so pairs are tokenised when they are drawn; padded arrays
// exist for one step only.
type tokens struct {
	encoder           *encoder.Encoder
	concat            encoder.Concatenation
	rows              []Row
	anchors, passages [][]int32
	length            int  // tokens of the longest sequence that a batch can hold
	bare              bool // some rows have no passage
	modifierInputs         // for modifiers

	crossed               bool      // instruction and query are encoded separately; then anchors is nil
	instructions, queries [][]int32 // one for each row, if crossed
}

// newTokens tokenises rows and joins queries and instructions as concat selects, or as the
// encoder does if it is empty. With mixed pairs, length leaves room for the longest query under
// the longest instruction.
func newTokens(enc *encoder.Encoder, concat encoder.Concatenation, rows []Row, mixed bool) *tokens {
	if enc.Config().Text.Interaction.Crossed() {
		return newCrossedTokens(enc, rows)
	}
	t := &tokens{encoder: enc, concat: cmp.Or(concat, enc.Config().Text.Concat), rows: rows}
	longest := 0
	var query, instruction int
	queries, instructions := map[string]int{}, map[string]int{}
	for i, row := range rows {
		t.anchors = append(t.anchors, t.pair(i, i))
		t.addPassage(row)
		longest = max(longest, len(t.anchors[i]), len(t.passages[i]))
		if !mixed {
			continue
		}
		if _, seen := queries[row.Query]; !seen {
			queries[row.Query] = len(enc.Tokens().Query(row.Query, ""))
		}
		if _, seen := instructions[row.Instruction]; !seen {
			instructions[row.Instruction] = len(enc.Tokens().Query("", row.Instruction))
		}
		if queries[row.Query] > queries[rows[query].Query] {
			query = i
		}
		if instructions[row.Instruction] > instructions[rows[instruction].Instruction] {
			instruction = i
		}
	}
	if mixed {
		longest = max(longest, len(t.pair(instruction, query)))
	}
	t.length = longest
	return t
}

// addPassage tokenises the passage of the next row. A row without a passage gets one token, whose
// vector no loss uses: every sequence of a batch is embedded.
func (t *tokens) addPassage(row Row) {
	ids := []int32{t.encoder.Tokens().PadID()}
	if row.hasPassage() {
		ids = t.encoder.Tokens().Document("", row.Passage)
	} else {
		t.bare = true
	}
	t.passages = append(t.passages, ids)
}

// pair is row j's instruction with row k's query.
func (t *tokens) pair(j, k int) []int32 {
	return t.encoder.Tokens().QueryBy(t.concat, t.rows[k].Query, t.rows[j].Instruction)
}

// newCrossedTokens tokenises rows whose instruction and query are encoded separately.
func newCrossedTokens(enc *encoder.Encoder, rows []Row) *tokens {
	t := &tokens{encoder: enc, rows: rows, crossed: true}
	for i, row := range rows {
		t.addPassage(row)
		t.instructions = append(t.instructions, enc.Tokens().Instruction(row.Instruction))
		t.queries = append(t.queries, enc.Tokens().Query(row.Query, ""))
		t.length = max(t.length, len(t.passages[i]), len(t.instructions[i]), len(t.queries[i]))
	}
	return t
}

// encoded is a batch in the form of the step graph: sequences to embed, and the indices of the
// vectors that are each anchor's candidates.
type encoded struct {
	sequences    [][]int32 // passages and mined negatives, then anchors and mixed pairs, or the texts of these
	pairs        [][]int32 // instruction and query of each pair, if encoded separately
	instructions [][]int32 // for each anchor: anchors or mixed pairs, counted from the first anchor
	queries      [][]int32
	labels       [][]int32 // see tokens.labels
	texts        [][2]int  // the rows that lend each pair its instruction and its query
}

// encode lists the sequences of a batch. A candidate with the same text as an anchor or another
// candidate shares its vector: the hard negative of two rows in three costs nothing. Mixed pairs
// are filled up to mixed, so that one graph fits all batches.
func (t *tokens) encode(b Batch, mixed int) encoded {
	var e encoded
	var pairs [][2]int       // rows that lend instruction and query
	known := map[Row]int32{} // pairs without their passage
	for a, i := range b.Rows {
		pairs = append(pairs, [2]int{i, i})
		known[Row{Instruction: t.rows[i].Instruction, Query: t.rows[i].Query}] = int32(a)
	}
	number := func(j, k int) int32 {
		pair := Row{Instruction: t.rows[j].Instruction, Query: t.rows[k].Query}
		at, ok := known[pair]
		if !ok {
			at = int32(len(pairs))
			known[pair] = at
			pairs = append(pairs, [2]int{j, k})
		}
		return at
	}
	for a, others := range b.Instructions {
		e.instructions = append(e.instructions, nil)
		for _, j := range others {
			e.instructions[a] = append(e.instructions[a], number(j, b.Rows[a]))
		}
	}
	for a, others := range b.Queries {
		e.queries = append(e.queries, nil)
		for _, k := range others {
			at := int32(-1)
			if k >= 0 {
				at = number(b.Rows[a], k)
			}
			e.queries[a] = append(e.queries[a], at)
		}
	}
	for _, i := range b.Rows {
		e.sequences = append(e.sequences, t.passages[i])
	}
	e.sequences = append(e.sequences, t.sequencesOf(b)...)
	e.labels, e.texts = t.labels(b), pairs
	if t.crossed {
		t.readApart(&e, b, pairs, mixed)
	} else {
		t.readTogether(&e, b, pairs, mixed)
	}
	return e
}

// readTogether adds one sequence for each pair.
func (t *tokens) readTogether(e *encoded, b Batch, pairs [][2]int, mixed int) {
	for _, p := range pairs {
		ids := t.anchors[p[0]]
		if p[0] != p[1] {
			ids = t.pair(p[0], p[1])
		}
		e.sequences = append(e.sequences, ids)
	}
	for len(e.sequences) < (2+t.mined)*len(b.Rows)+mixed {
		e.sequences = append(e.sequences, nil) // padding that nothing refers to
	}
}

// readApart adds the instructions of a batch, then its queries. Each text is added once and each
// kind is filled up to the most that a batch can have. The pairs refer to them.
func (t *tokens) readApart(e *encoded, b Batch, pairs [][2]int, mixed int) {
	add := func(ids [][]int32, text func(Row) string) map[string]int32 {
		place := map[string]int32{}
		first := len(e.sequences)
		for _, i := range b.Rows {
			if _, seen := place[text(t.rows[i])]; !seen {
				place[text(t.rows[i])] = int32(len(e.sequences) - first)
				e.sequences = append(e.sequences, ids[i])
			}
		}
		for len(e.sequences) < first+b.Texts {
			e.sequences = append(e.sequences, nil)
		}
		return place
	}
	instructions := add(t.instructions, func(r Row) string { return r.Instruction })
	queries := add(t.queries, func(r Row) string { return r.Query })
	for _, p := range pairs {
		e.pairs = append(e.pairs, []int32{instructions[t.rows[p[0]].Instruction], queries[t.rows[p[1]].Query]})
	}
	for len(e.pairs) < len(b.Rows)+mixed {
		e.pairs = append(e.pairs, []int32{0, 0}) // nothing refers to it
	}
}

// pad returns sequences in rows of the bucket of the longest one.
func (t *tokens) pad(sequences [][]int32) (ids, mask *tensors.Tensor) {
	return t.padded(sequences, t.bucket(longest(sequences)))
}

// bucket is the row length for sequences of n tokens or fewer. There are few buckets, so a
// handful of graphs fits all steps.
func (t *tokens) bucket(n int) int { return encoder.Bucket(n, t.length) }

func longest(sequences [][]int32) int {
	most := 1
	for _, sequence := range sequences {
		most = max(most, len(sequence))
	}
	return most
}

// padded returns ids int32 [B, S] and mask bool [B, S] of sequences, padded to length S on the
// encoder's padding side.
func (t *tokens) padded(sequences [][]int32, length int) (ids, mask *tensors.Tensor) {
	flat := make([]int32, len(sequences)*length)
	present := make([]bool, len(flat))
	pad := t.encoder.Tokens().PadID()
	for i := range flat {
		flat[i] = pad
	}
	for i, sequence := range sequences {
		from, to := t.encoder.Tokens().Place(sequence, length)
		at := i*length + to - len(sequence)
		copy(flat[at:], sequence)
		for k := from; k < to; k++ {
			present[i*length+k] = true
		}
	}
	ids = tensors.FromFlatDataAndDimensions(flat, len(sequences), length)
	mask = tensors.FromFlatDataAndDimensions(present, len(sequences), length)
	return ids, mask
}

// shift is the number of columns by which tokens move right in rows of length long, compared with
// rows of length short.
func shift(enc *encoder.Encoder, short, long int) int {
	token := []int32{enc.Tokens().PadID()}
	_, from := enc.Tokens().Place(token, short)
	_, to := enc.Tokens().Place(token, long)
	return to - from
}
