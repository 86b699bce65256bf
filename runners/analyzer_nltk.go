package runners

import "strings"

// nltkEnglish is the analysis of FollowIR's BM25: lower case, split at spaces (only U+0020),
// drop NLTK's English stop words, apply NLTK's Porter stemmer, and only then delete ASCII
// punctuation. So "documents." keeps its plural, since the stemmer sees the full stop.
type nltkEnglish struct{ stop map[string]bool }

func newNLTKEnglish() analyzer { return nltkEnglish{stopWords(nltkStopWords)} }

// nltkStopWords are the 179 English stop words of NLTK's corpus package.
const nltkStopWords = `i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself
	yourselves he him his himself she she's her hers herself it it's its itself they them their theirs themselves
	what which who whom this that that'll these those am is are was were be been being have has had having do does
	did doing a an the and but if or because as until while of at by for with about against between into through
	during before after above below to from up down in out on off over under again further then once here there when
	where why how all any both each few more most other some such no nor not only own same so than too very s t can
	will just don don't should should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn
	doesn't hadn hadn't hasn hasn't haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't
	shouldn shouldn't wasn wasn't weren weren't won won't wouldn wouldn't`

func (a nltkEnglish) tokens(text string, emit func(string)) {
	for token := range strings.SplitSeq(strings.TrimSpace(text), " ") {
		if token != "" {
			emit(token)
		}
	}
}

func (a nltkEnglish) term(token string) string {
	word := strings.ToLower(token)
	if a.stop[word] {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) {
			return -1
		}
		return r
	}, porter{nltk: true}.stem(word))
}
