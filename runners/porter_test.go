package runners

import (
	"testing"

	"github.com/blevesearch/go-porterstemmer"
)

// The expected values are from NLTK's own documentation (howto/stem), from its table of
// irregular words and, from "enjoy" on, derived by hand from the rules that it changes.
func TestPorterNLTK(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "flies": "fli", "dies": "die", "mules": "mule", "denied": "deni", "died": "die",
		"agreed": "agre", "owned": "own", "humbled": "humbl", "sized": "size", "meeting": "meet", "stating": "state",
		"siezing": "siez", "itemization": "item", "sensational": "sensat", "traditional": "tradit",
		"reference": "refer", "colonizer": "colon", "plotted": "plot",
		"skies": "sky", "news": "news", "dying": "die", "succeed": "succeed",
		"enjoy": "enjoy", "happy": "happi", "geologi": "geolog", "is": "is", "documents.": "documents.",
		"syzygy": "syzygi", "yyyyed": "yyyi", "sayying": "sayi",
	} {
		if got := (porter{nltk: true}).stem(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
	}
}

// The expected values follow the rules of Lucene 8.7's PorterStemmer; the golden runs depend on
// "ies" and "eed".
func TestPorterWholeWordSuffix(t *testing.T) {
	for word, want := range map[string]string{"ies": "i", "sses": "ss", "eed": "eed", "ing": "ing", "ion": "ion", "ness": "ness"} {
		if got := (porter{}).stem(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
	}
}

// go-porterstemmer is an independent implementation of the same algorithm.
func TestPorterEqualsLibrary(t *testing.T) {
	known := map[string]bool{"ies": true, "sses": true, "eed": true} // where Lucene differs, too
	words := map[string]bool{}
	for _, name := range []string{"scifact", "vaswani"} {
		task := sharedTask(t, name)
		for d, err := range task.Corpus.Documents() {
			if err != nil {
				t.Fatal(err)
			}
			newWordPattern().tokens(d.Title+" "+d.Text, func(token string) { words[token] = true })
		}
	}
	if len(words) < 30_000 {
		t.Fatalf("only %d words", len(words))
	}
	for word := range words {
		want := string(porterstemmer.StemWithoutLowerCasing([]rune(word)))
		if got := (porter{}).stem(word); got != want && !known[word] {
			t.Errorf("stem(%q) = %q, the library has %q", word, got, want)
		}
	}
}
