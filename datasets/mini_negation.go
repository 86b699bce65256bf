package datasets

import "infbench/internal/words"

// exclusionWords are ways to say "but not" that no training set has.
var exclusionWords = []string{"except", "excluding", "without"}

// The slices with exclusions. Slice negation of mini-followir mixes two abilities; mini-negation
// has them separately, and both in other words.
const (
	sliceNegation  = "negation"
	sliceExclusion = "exclusion"
	sliceRepulsion = "repulsion"
	sliceUnseen    = "unseen-wording"
)

// negation makes the tasks of mini-negation, on the pairs and documents of mini-followir.
func (w *miniWorld) negation() []Task {
	return w.pairs().tasks("mini-negation", []miniSlice{{
		name:   sliceExclusion,
		notes:  `"A or B" becomes "A but not B": what follows "but not" has to be passed over.`, //plain:ok hashed into the revision
		change: exclude,
	}, {
		name:   sliceRepulsion,
		notes:  `"A" becomes "A but not C", C of another facet: what follows "but not" has to be repelled.`, //plain:ok hashed into the revision
		change: exclude,
	}, {
		name:   sliceUnseen,
		notes:  `As exclusion and repulsion in turn, with "except", "excluding" or "without" in place of "but not", and what is repelled is asked for in other words: no generated training set has these.`, //plain:ok hashed into the revision
		change: exclude,
	}})
}

// exclusionOf returns the words with which the n-th pair of a slice excludes, "" if it does not.
// own reports whether it excludes a value of the facet that it asks for. With two pairs per topic,
// own also alternates within a facet, and each of exclusionWords occurs with both values of own.
func exclusionOf(slice string, n int) (but string, own bool) {
	turn := (n/miniHeld+n)%2 == 0
	switch slice {
	case sliceNegation:
		return "but not", turn
	case sliceExclusion:
		return "but not", true
	case sliceRepulsion:
		return "but not", false
	case sliceUnseen:
		return exclusionWords[n/4%len(exclusionWords)], turn // four turns make a cycle
	}
	return "", false
}

// repelled writes the excluded value of another facet. Like MiniComplement, the slices use the
// shortest of the training asks after "but not"; the unseen slice uses an ask that no training set
// has.
func (l *miniLists) repelled(slice string, facet int, words []string) string {
	if slice == sliceUnseen {
		return "those " + l.ask(miniTest, 0, facet, words)
	}
	return l.ask(miniTrain, 0, facet, words)
}

// exclude changes "A or B" to "A but not B", or "A" to "A but not C" where C is of the topic's
// other held-out facet.
func exclude(w miniWriter, slice string, n int, c *miniContrast) miniChange {
	but, own := exclusionOf(slice, n)
	p := w.phrase(c.facet)
	a, b := w.valueWords(miniTrait{c.facet, c.a}, 2), w.valueWords(miniTrait{c.facet, c.b}, 2)
	if own {
		return c.loses(miniChange{
			original: p.either(words.AnyOf(joined(w.r, a, b))),
			changed:  p.either(words.AnyOf(a) + " " + but + " " + words.AnyOf(b)),
		})
	}
	not := w.repelled(slice, c.other, w.valueWords(miniTrait{c.other, c.dropped}, 1)) // one word: 32 tokens are tight here
	return miniChange{
		original: p.either(words.AnyOf(a)),
		changed:  p.either(words.AnyOf(a), " "+but+" "+not),
		before:   func(d *miniDocument) bool { return d.shows(c.facet, c.a) },
		after:    func(d *miniDocument) bool { return d.shows(c.facet, c.a) && !d.shows(c.other, c.dropped) },
		moved:    func(d *miniDocument) bool { return d.shows(c.facet, c.a) && d.shows(c.other, c.dropped) },
	}
}
