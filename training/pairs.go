package training

import "slices"

// pairsOf are the pairs of query and passage of a batch that a score of pairs needs: each
// distinct one once, and for each term the places of a row's candidates among them.
type pairsOf struct {
	pairs []pairOf
	lists map[Term]listOf
}

// pairOf is row j's instruction with row k's query, and the passage of row p or, from 1 on, its
// mined negative.
type pairOf struct{ instruction, query, passage, mined int }

// listOf has one list for each anchor, of equal length, the anchor's own pair first.
type listOf struct {
	index   [][]int32
	counted [][]bool
}

// pairsOf lists the pairs of a batch for some terms. Texts equal to the row's own do not count if
// equal ones are masked; the instructions of the sampler never hold them then.
func (t *tokens) pairsOf(b Batch, o Objective, terms Term) pairsOf {
	all := pairsOf{lists: map[Term]listOf{}}
	known := map[[3]string]int32{}
	text := func(p pairOf) [3]string {
		passage := t.rows[p.passage].Passage
		if p.mined > 0 {
			passage = t.listed[p.passage].negatives[p.mined-1]
		}
		return [3]string{t.rows[p.instruction].Instruction, t.rows[p.query].Query, passage}
	}
	for _, term := range terms.Split() {
		var list listOf
		most := 0
		for a, i := range b.Rows {
			own := pairOf{i, i, i, 0}
			var index []int32
			var counted []bool
			for _, p := range t.candidatesOf(b, o, term, a) {
				name := text(p)
				counts := len(index) == 0 || !o.False.Equal || name != text(own)
				if _, ok := known[name]; !ok && counts {
					known[name] = int32(len(all.pairs))
					all.pairs = append(all.pairs, p)
				}
				index, counted = append(index, known[name]), append(counted, counts)
			}
			list.index, list.counted, most = append(list.index, index), append(list.counted, counted), max(most, len(index))
		}
		for a, index := range list.index {
			list.index[a] = append(index, slices.Repeat(index[:1], most-len(index))...)
			list.counted[a] = append(list.counted[a], make([]bool, most-len(index))...)
		}
		all.lists[term] = list
	}
	return all
}

// candidatesOf lists the candidates of anchor a in a term, its own pair first.
func (t *tokens) candidatesOf(b Batch, o Objective, term Term, a int) []pairOf {
	i := b.Rows[a]
	list := []pairOf{{i, i, i, 0}}
	others := without(b.Rows, a)
	if b.Candidates != nil {
		others = nil
		for _, k := range b.Candidates[a] {
			others = append(others, b.Rows[k])
		}
	}
	mined := func(k int) {
		for n := range t.mined {
			if n < len(t.listed[k].negatives) {
				list = append(list, pairOf{i, i, k, 1 + n})
			}
		}
	}
	switch {
	case term == P:
		mined(i)
		for _, k := range others {
			if t.rows[k].hasPassage() {
				list = append(list, pairOf{i, i, k, 0})
			}
			if b.Candidates == nil {
				mined(k)
			}
		}
	case term == I:
		for n, j := range b.Instructions[a] {
			if b.Counted[a][n] {
				list = append(list, pairOf{j, i, i, 0})
			}
		}
	case o.IQ == QueryOnly:
		for _, k := range b.Queries[a] {
			if k >= 0 {
				list = append(list, pairOf{i, k, i, 0})
			}
		}
	default:
		for _, k := range others {
			list = append(list, pairOf{k, k, i, 0})
		}
	}
	return list
}
