package tokenizer

// piece is an element of the list of pieces of a word while they are merged.
type piece struct {
	id         int32
	prev, next int32 // -1: none
}

// candidate is a possible merge: the piece at a place with the next one.
type candidate struct {
	merge
	at   int32
	pair pair // the pieces when it was added; outdated if they changed since
}

// before sorts candidates by rank, then from the left.
func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// shortWord is the number of pieces up to which a linear search for the next merge is faster than a
// heap; English words have 6 to 7 letters.
const shortWord = 32

// mergeAll merges ids in place and returns how many remain.
func (m *bpe) mergeAll(ids []int32) int {
	if len(ids) <= shortWord {
		return m.mergeShort(ids)
	}
	return m.mergeLong(ids)
}

// mergeShort searches all pieces for each merge of a word of at most shortWord pieces. It allocates
// nothing.
func (m *bpe) mergeShort(ids []int32) int {
	var next [shortWord]merge // of piece i with the next one
	n := len(ids)
	for i := 0; i+1 < n; i++ {
		next[i] = m.merges.find(pair{ids[i], ids[i+1]})
	}
	for n > 1 {
		best := 0
		for i := 1; i+1 < n; i++ {
			if next[i].rank < next[best].rank {
				best = i
			}
		}
		if next[best].rank == noMerge {
			break
		}
		ids[best] = next[best].id
		n--
		for i := best + 1; i < n; i++ {
			ids[i], next[i-1] = ids[i+1], next[i]
		}
		if best > 0 {
			next[best-1] = m.merges.find(pair{ids[best-1], ids[best]})
		}
		if best+1 < n {
			next[best] = m.merges.find(pair{ids[best], ids[best+1]})
		}
	}
	return n
}

// mergeLong finds the next merge with a heap. A word of n characters takes n log n steps, and some
// words are a complete line or document.
func (m *bpe) mergeLong(ids []int32) int {
	pieces := make([]piece, len(ids))
	queue := make(candidates, 0, len(ids))
	for i, id := range ids {
		pieces[i] = piece{id, int32(i) - 1, int32(i) + 1}
	}
	pieces[len(ids)-1].next = -1
	consider := func(at int32) {
		if at < 0 || pieces[at].next < 0 {
			return
		}
		p := pair{pieces[at].id, pieces[pieces[at].next].id}
		if found := m.merges.find(p); found.rank != noMerge {
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

// candidates is a binary heap; container/heap would allocate for every element.
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
