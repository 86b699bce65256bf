package chatrank

import (
	"errors"
	"regexp"
	"slices"
	"strconv"

	"infbench/datasets/chat"
)

// Permutation reads an order of n documents such as "[2] > [1] > [3]" and returns their
// positions from 0. An answer is an order only if it has nothing else: numbers in brackets, or
// two or more bare ones, joined by >, =, commas, semicolons, arrows, newlines or blanks, or a
// numbered list of them. A short lead-in ("The ranking is:"), emphasis, a code fence, <answer>
// and thoughts before </think> are left out. In prose a number may have any meaning (of
// passages, of years, "neither [3] nor [1]"), so prose is malformed.
//
// Numbers beyond n and repetitions are dropped, and missing documents are appended in their
// original order, as in RankGPT, which reads any digits (Sun et al., arXiv 2304.09542).
func Permutation(text string, n int) ([]int, error) {
	named, _, err := numbered(chat.Unthought(text, chat.ThinkOpen, chat.ThinkClose), n)
	if err != nil {
		return nil, err
	}
	return withRest(named, n), nil
}

// numbered returns the positions of the documents that an order names, and whether it names all of
// them once.
func numbered(text string, n int) (places []int, whole bool, err error) {
	answer := markup.ReplaceAllString(text, " ")
	places, whole = placesOf(listed(leadIn.ReplaceAllString(answer, "")), n)
	if len(places) == 0 {
		return nil, false, &chat.Error{Class: chat.Malformed, Err: errors.New("the answer is not an order of the documents")}
	}
	return places, whole, nil
}

// placesOf returns the positions below n of numbers from 1, each once, and whether none is missing or
// repeated.
func placesOf(numbers []string, n int) (places []int, whole bool) {
	whole = true
	for _, number := range numbers {
		k, err := strconv.Atoi(number)
		switch {
		case err != nil || k < 1 || k > n:
		case slices.Contains(places, k-1):
			whole = false
		default:
			places = append(places, k-1)
		}
	}
	return places, whole && len(places) == n
}

// order reads the order of n documents in an answer without its thoughts: by the pattern, whose group
// has the numbers, or as Permutation does.
func (r *Recipe) order(text string, n int) (places []int, whole bool, err error) {
	if r.pattern == nil {
		return numbered(text, n)
	}
	answer, err := r.answered(text)
	if err != nil {
		return nil, false, err
	}
	if places, whole = placesOf(digits.FindAllString(answer, -1), n); len(places) == 0 {
		return nil, false, unparsed("the answer of recipe %s names none of the passages [1] to [%d]: %q", r.Name, n, beginning(answer))
	}
	return places, whole, nil
}

// markup may be around an order or its parts.
var markup = regexp.MustCompile("(?i)```[ \\t]*(?:text|txt|plaintext|json|markdown|md)?\\b|```|[*`\"]|</?answer>|(?m:^[ \\t]*(?:#+|[-•])[ \\t]+)")

// leadIn is how models begin an answer that should be only the order.
var leadIn = regexp.MustCompile(`(?i)^\s*` +
	`(?:(?:sure|certainly|of\s+course|okay|ok)\b[\s,.!:]*)?` +
	`(?:(?:here\s+is|here['’]s|below\s+is|this\s+is)\s+)?` +
	`(?:(?:the|my)\s+)?` +
	`(?:(?:final|best|correct|new|resulting|relevance|passage|document|ranked|re-?ranked|sorted|ordered)\s+)*` +
	`(?:ranking|order|ordering|answer|result|permutation|list|output|(?:ranked|re-?ranked|sorted|ordered)\s+(?:passages|documents))\b` +
	`(?:\s+of\s+(?:the\s+)?(?:\d{1,9}\s+)?(?:passages|documents)\b)?` +
	`(?:\s+(?:by|based\s+on|in\s+order\s+of)\s+relevance\b)?` +
	`(?:,?\s*\(?(?:from\s+)?(?:the\s+)?(?:best\s+first|(?:best|most\s+relevant)\s+to\s+(?:the\s+)?(?:worst|least\s+relevant))\b\)?)?` +
	`(?:\s+(?:is|would\s+be)\b)?(?:\s+as\s+follows\b)?\s*:?`)

// Forms of a list of numbers. Bare numbers have separators; a list of them in brackets is JSON.
const (
	between = `(?:[\s\p{Z}>=,;→≻]|->)`
	ended   = `[\s\p{Z}>,;.]*$`
	bare    = `\s*\d{1,9}(?:` + between + `+\d{1,9})+`
)

var (
	digits        = regexp.MustCompile(`\d+`)
	bracketedList = regexp.MustCompile(`^\s*\[\s*\d{1,9}\s*\](?:` + between + `*\[\s*\d{1,9}\s*\])*` + ended)
	bareList      = regexp.MustCompile(`^` + bare + ended + `|^\s*\[` + bare + `\s*\]` + ended)
	// numberedList has an ordinal before the number of each line, or before each number in
	// brackets.
	numberedList = regexp.MustCompile(`^(?:\s*\d{1,9}[.):]\s*\[\s*\d{1,9}\s*\][\s>,;.]*)+$` +
		`|^(?:\s*\d{1,9}[.):][ \t]+\d{1,9}[ \t>,;.]*(?:\r?\n\s*|$)){2,}$`)
)

// listed returns the numbers of a text that is only a list of numbers.
func listed(text string) []string {
	numbers := digits.FindAllString(text, -1)
	switch {
	case bracketedList.MatchString(text), bareList.MatchString(text):
		return numbers
	case numberedList.MatchString(text):
		return unordinal(numbers)
	}
	return nil
}

// unordinal returns the numbers after the ordinals; none if the ordinals do not count from 1.
func unordinal(numbers []string) (list []string) {
	for i := 0; i+1 < len(numbers); i += 2 {
		if numbers[i] != strconv.Itoa(i/2+1) {
			return nil
		}
		list = append(list, numbers[i+1])
	}
	return list
}

// withRest appends the positions below n that are missing in a list.
func withRest(places []int, n int) []int {
	taken := make([]bool, n)
	for _, place := range places {
		taken[place] = true
	}
	all := slices.Clone(places)
	for i, t := range taken {
		if !t {
			all = append(all, i)
		}
	}
	return all
}
