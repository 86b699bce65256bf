package main

import (
	"regexp"
	"strings"
)

// pattern is a phrase to find, and a better one.
type pattern struct {
	find   *regexp.Regexp
	except *regexp.Regexp // matched against the phrase and the words before and after it
	write  string
}

func of(find, except, write string) pattern {
	p := pattern{find: regexp.MustCompile(`(?i)` + find), write: write}
	if except != "" {
		p.except = regexp.MustCompile(`(?i)` + except)
	}
	return p
}

// match returns the places of the pattern in a text.
func (p pattern) match(text string) [][]int {
	var all [][]int
	for _, at := range p.find.FindAllStringIndex(text, -1) {
		begin := max(0, strings.LastIndexByte(text[:max(0, at[0]-1)], ' '))
		end := len(text)
		if i := strings.IndexByte(text[min(at[1]+1, len(text)):], ' '); i >= 0 {
			end = min(at[1]+1, len(text)) + i
		}
		if p.except == nil || !p.except.MatchString(text[begin:end]) {
			all = append(all, at)
		}
	}
	return all
}

const be = `(is|are|was|were|be|been)`

// patterns are the worst phrases that this repository had, in one list.
var patterns = []pattern{
	of(`\b`+be+` no\b`, `\bthere |`+be+` no (longer|more|less|fewer|later|earlier|sooner|better|worse|larger|smaller|higher|lower|matter)\b`, "is not a"),
	of(`\b`+be+` none\b`, `\bthere |none of\b`, "is not one"),
	of(`\banew\b`, "", "again"),
	of(`\bbeside\b`, "", "next to, with, as well as"),
	of(`\b(holds?|held|holding)( [\w']+){0,3} to\b`, `\bup to|from|down to`, "check against"),
	of(`\bwhole\b`, `whole (numbers?|words?)\b|as a whole`, "complete, entire, all"), //plain:ok the pattern itself
	of(`\b(say|says|said|saying) (whether|if|what|how|which|who|when|where|why|so|of)\b`, "", "reports whether, returns, names"),
	of(`\b(tell|tells|told|telling) (whether|what|how|which|if|that)\b|\b(tell|tells|told|telling)( [\w']+){0,3} (apart|from)\b`, "", "reports whether, distinguishes"),
	of(`\b`+be+` said\b`, "", "is reported"),
	of(`\b(words|worded|wording) (a|an|the|what|how|it)\b`, `\d words`, "formats, writes"),
	of(`[.;:] (of|what|who|whose|whom)\b|^(?-i:Of|What|Who|Whose|Whom)\b`, `what (if|now|else)\b|^What`, "begin with the subject"),
	of(`\b(of|for|with|by|to|from|in|on|at|than|as|after|before) (what|who|whom|whose|whoever|where)\b|\bof which\b|\bwhat `+be+`\b`, "", "name the thing"),
	of(`\b(stands?|stood) (in|at|there|below|above|under|on|before|apart|alone|with)\b|\b(lies|lay) (in|at|on|there|under|with|below|above)\b`, "", "is"),
	of(`\bbut for\b`, "", "except, apart from"),
	of(`\bone's own\b`, "", "your own"),
}
