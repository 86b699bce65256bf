package curate

import (
	"fmt"
	"slices"
	"strings"
)

// Filters are the rules for texts. Bounds are in words, inclusive.
type Filters struct {
	Language                    string // required language of instructions, queries and text passages; "" means any
	Instruction, Query, Passage Lengths
	Alike                       float64 // minimum shingle similarity of near-duplicates
}

// Lengths are bounds in words.
type Lengths struct{ Least, Most int }

func (l Lengths) hold(text string) bool {
	n := len(strings.Fields(text))
	return l.Least <= n && n <= l.Most
}

// pairFault returns the rule that a pair breaks, "" if none.
func (f Filters) pairFault(r *Record) string {
	switch {
	case !f.Query.hold(r.QueryPositive):
		return "length: query"
	case !f.Passage.hold(r.Positive):
		return "length: passage"
	case r.Kind == Text && !IsIn(r.QueryPositive+" "+r.Positive, f.Language):
		return "language: pair"
	}
	return ""
}

// filtered truncates instructions and queries to their first line and drops the records that break
// a rule.
func (c *Corpus) filtered(records []Record) ([]Record, error) {
	near := newAlike(c.Filters.Alike)
	for i := range records {
		r := &records[i]
		r.cut()
		if r.Fell = c.Filters.textFault(r); r.Fell == "" && near.seen(r.HardNegative1+"\n"+r.HardNegative2) {
			r.Fell = "near-duplicate: passages of another record"
		}
	}
	return records, c.decontaminate(records, func(r *Record) []string {
		return []string{r.QueryNegative, r.HardNegative1, r.HardNegative2}
	})
}

// cut truncates instructions and the poisoned query to their first line, since models add remarks
// below, and trims the passages.
func (r *Record) cut() {
	for _, part := range []Part{Instruction, NegativeInstruction, NegativeQuery} {
		text := r.text(part)
		first, rest, _ := strings.Cut(strings.TrimSpace(*text), "\n")
		if strings.TrimSpace(rest) != "" {
			r.Cut = append(r.Cut, part)
		}
		*text = sentence(first)
	}
	r.HardNegative1, r.HardNegative2 = strings.TrimSpace(r.HardNegative1), strings.TrimSpace(r.HardNegative2)
}

// textFault returns the first rule that a record breaks, "" if none.
func (f Filters) textFault(r *Record) string {
	bounds := map[Part]Lengths{Instruction: f.Instruction, NegativeInstruction: f.Instruction, NegativeQuery: f.Query, Passage1: f.Passage, Passage2: f.Passage}
	for _, part := range []Part{Instruction, NegativeInstruction, NegativeQuery, Passage1, Passage2} {
		text := *r.text(part)
		spoken := r.Kind == Text || part == Instruction || part == NegativeInstruction
		switch {
		case !bounds[part].hold(text):
			return "length: " + string(part)
		case spoken && !IsIn(text, f.Language):
			return "language: " + string(part)
		}
	}
	for _, pair := range []struct {
		part     Part
		of       string
		poisoned string
	}{
		{NegativeInstruction, r.InstructionPositive, r.InstructionNegative},
		{NegativeQuery, r.QueryPositive, r.QueryNegative},
		{Passage1, r.Positive, r.HardNegative1},
		{Passage2, r.Positive, r.HardNegative2},
		{Passage2, r.HardNegative1, r.HardNegative2},
	} {
		passages := pair.part == Passage1 || pair.part == Passage2
		if sameWords(pair.of, pair.poisoned) || passages && similarity(pair.of, pair.poisoned) >= f.Alike {
			return "near-duplicate: " + string(pair.part)
		}
	}
	if r.Kind == Code {
		return programming(r)
	}
	return ""
}

// programming checks that both instructions for code name the same programming language.
func programming(r *Record) string {
	own, poisoned := codeLanguages(r.InstructionPositive), codeLanguages(r.InstructionNegative)
	switch {
	case len(own) == 0:
		return "programming language: none named"
	case !slices.Equal(own, poisoned):
		return fmt.Sprintf("programming language: %s", NegativeInstruction)
	}
	return ""
}
