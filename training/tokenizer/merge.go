package tokenizer

// piece is an element of the list of pieces of a word while they are merged.
type piece struct {
	id         int32
	prev, next int32 // -1: none
}

// candidate is a possible merge: the piece at a place with the one after it.
type candidate struct {
	merge
	at   int32
	pair pair // what stood there; gone if it changed meanwhile
}

// before orders candidates: lower rank, then further left.
func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// mergeAll merges ids in place and returns how many remain. With a heap, a
// word of n characters takes n log n steps: SentencePiece models read a whole
// document as one word.
func (m *bpe) mergeAll(ids []int32) int {
	if len(ids) < 2 {
		return len(ids)
	}
	pieces := make([]piece, len(ids))
	var queue candidates
	for i, id := range ids {
		pieces[i] = piece{id, int32(i) - 1, int32(i) + 1}
	}
	pieces[len(ids)-1].next = -1
	consider := func(at int32) {
		if at < 0 || pieces[at].next < 0 {
			return
		}
		p := pair{pieces[at].id, pieces[pieces[at].next].id}
		if found, ok := m.merges[p]; ok {
			queue.push(candidate{found, at, p})
		}
	}
	for i := range pieces {
		consider(int32(i))
	}
	for len(queue) > 0 {
		c := queue.pop()
		left := &pieces[c.at]
		if left.id != c.pair.left || left.next < 0 || pieces[left.next].id != c.pair.right {
			continue
		}
		gone := left.next
		left.id, left.next = c.id, pieces[gone].next
		pieces[gone].id = -1
		if left.next >= 0 {
			pieces[left.next].prev = c.at
		}
		consider(left.prev)
		consider(c.at)
	}
	n := 0
	for at := int32(0); at >= 0; at = pieces[at].next {
		ids[n] = pieces[at].id
		n++
	}
	return n
}

// candidates is a binary heap; container/heap would allocate for every one.
type candidates []candidate

func (h *candidates) push(c candidate) {
	*h = append(*h, c)
	list := *h
	for i := len(list) - 1; i > 0; {
		up := (i - 1) / 2
		if !list[i].before(list[up]) {
			return
		}
		list[i], list[up] = list[up], list[i]
		i = up
	}
}

func (h *candidates) pop() candidate {
	list := *h
	top, last := list[0], len(list)-1
	list[0] = list[last]
	list = list[:last]
	*h = list
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && list[child+1].before(list[child]) {
			child++
		}
		if !list[child].before(list[i]) {
			return top
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
}
