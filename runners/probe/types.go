package probe

import (
	"regexp"
	"sync"

	"infbench/runners/results"
)

// instructionType is a type of instruction with the pattern that recognizes it.
type instructionType struct {
	name    string
	pattern func() *regexp.Regexp // compiled at its first use
}

// instructionTypes are recognized by English words. They are rules of thumb: "for" with a group
// of people is an audience, and "short" is a length whatever it describes. An instruction has a
// type if it contains a word of that type.
var instructionTypes = []instructionType{
	byWords(results.TypeNegation, `\bnot?\b|n['’]t\b|\b(without|never|neither|nor|none|cannot|lack(s|ing)?)\b`),
	byWords(results.TypeExclusion, `\bbut not\b|\b(except|exclud\w*|exclusion|omit\w*|ignor\w*|avoid\w*|irrelevant|unless)\b|\b(other|rather) than\b|\binstead of\b|\b(apart|aside) from\b`+
		`|\b(not|n['’]t|never)( be)? (relevant|includ\w*|mention\w*|consider\w*|contain\w*|want\w*|interested)\b`),
	byWords(results.TypeLength, `\b(brief|concise|succinct|lengthy|in-depth)(ly)?\b|\b(short|long)(er|est)? (texts?|passages?|documents?|answers?|articles?|responses?|sentences?|explanations?|overviews?|summar(y|ies))\b|\b(shorter|longer) than\b`+
		`|\b(\d+|one|two|three|single|few|fewer)[- ](words?|sentences?|paragraphs?|pages?|lines?|tokens?)\b`),
	byWords(results.TypeDate, `\b(1[5-9]|20)\d\d(s|\b)|\b(century|centuries|decades?|eras?|period|recent(ly)?|latest|up-to-date|outdated|nowadays|modern|contemporary|historical|ancient|medieval)\b`+
		`|\b(january|february|april|june|july|august|september|october|november|december)\b|\b(last|past|this|next) (year|month|week)s?\b|\b(published|written|dated) (before|after|since|in|between)\b`),
	byWords(results.TypeAudience, `\b(audiences?|readers|layperson|laypeople|non-?experts?|beginners?|novices?|newcomers?|children|kids|teenagers?|students?|experts?|professionals?|practitioners?|seniors)\b`+
		`|\b(meant|aimed|intended|suitable|targeted|written) (for|at)\b|\bthat suits?\b|\bwhich suits?\b|\byear[- ]olds?\b|\b(i am|i['’]m) an? \w+|\bas an? [^.,;:]+, (i|my|we|our)\b`),
	byWords(results.TypeFormat, `\b(formats?|genres?|lists?|tables?|bullet(ed| points?)?|step[- ]by[- ]step|tutorials?|manuals?|guides?|guidebooks?|handbooks?|recipes?|code|snippets?|essays?|blogs?|poems?|poetry|stories|novels?|news|newspapers?|articles?|reviews?|videos?|transcripts?|abstracts?|patents?)\b`+
		`|\bwritten as\b|\b(that|which) resembles?\b`),
}

func byWords(name, pattern string) instructionType {
	return instructionType{name, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) })}
}

// TypesOf returns the types of an instruction, one or more.
func TypesOf(instruction string) []string {
	var of []string
	for _, t := range instructionTypes {
		if t.pattern().MatchString(instruction) {
			of = append(of, t.name)
		}
	}
	if of == nil {
		return []string{results.TypeOther}
	}
	return of
}
