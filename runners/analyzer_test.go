package runners

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"infbench/internal/testkit"
)

func analyzed(a analyzer, text string) []string {
	var list []string
	a.tokens(text, func(token string) { list = append(list, token) })
	return list
}

func terms(a analyzer, text string) []string {
	var list []string
	a.tokens(text, func(token string) {
		if term := a.term(token); term != "" {
			list = append(list, term)
		}
	})
	return list
}

// The expected values are those of Lucene 8's TestStandardAnalyzer; the last group was derived
// by hand from the tokenizer's grammar.
func TestStandardTokenizer(t *testing.T) {
	x := strings.Repeat("x", 300)
	for _, c := range []struct{ text, want string }{
		{"B2B R2D2 C3PO", "B2B R2D2 C3PO"},
		{"some-dashed-phrase", "some dashed phrase"},
		{"dogs,chase,cats ac/dc", "dogs chase cats ac dc"},
		{"O'Reilly you're she's Jim's don't O'Reilly's", "O'Reilly you're she's Jim's don't O'Reilly's"},
		{"21.35 216.239.63.104 1-2-3 1.0.0", "21.35 216.239.63.104 1 2 3 1.0.0"},
		{"foo_bar _ __x", "foo_bar __x"},
		{"การที่ได้ต้องแสดงว่างานดี. แล้วเธอจะไปไหน? ๑๒๓๔", "การที่ได้ต้องแสดงว่างานดี แล้วเธอจะไปไหน ๑๒๓๔"},
		{"我是中国人。 １２３４ Ｔｅｓｔｓ ", "我 是 中 国 人 １２３４ Ｔｅｓｔｓ"},
		{"仮名遣い カタカナ", "仮 名 遣 い カタカナ"},
		{"안녕하세요 한글입니다", "안녕하세요 한글입니다"},
		{"Վիքիպեդիայի 13 միլիոն հոդվածները", "Վիքիպեդիայի 13 միլիոն հոդվածները"},
		{"poo💩poo 💩中國💩", "poo 💩 poo 💩 中 國 💩"},
		{"\U0001f469\u200d\u2764\ufe0f\u200d\U0001f469 \U0001f1fa\U0001f1f8 3\ufe0f\u20e3", "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f469 \U0001f1fa\U0001f1f8 3\ufe0f\u20e3"},
		{x, x[:255] + " " + x[255:]},

		{"", ""},
		{"?! -- … \u0301 \U0001f1fa", ""},
		{"Roche® ½ x² 10°C", "Roche ® x 10 C"},
		{strings.Repeat("x", 254) + ".yz", strings.Repeat("x", 254) + " yz"},
		{strings.Repeat("𝐚", 128), strings.Repeat("𝐚", 127) + " 𝐚"}, // two UTF-16 units each
		{"bad \xff\xfe utf-8", "bad utf 8"},
	} {
		if got := analyzed(newLuceneEnglish(), c.text); strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLuceneEnglish(t *testing.T) {
	for text, want := range map[string]string{
		"The Cats' whiskers and JIM'S dogs":  "cat whisker jim dog",
		"O’Reilly’s it's This IS":            "o’reilli",
		"relational ponies caresses hopping": "relat poni caress hop",
		"İstanbul ΣΑΣ":                       "istanbul σασ",
	} {
		if got := strings.Join(terms(newLuceneEnglish(), text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The expected values were derived by hand from the code of FollowIR's evaluate_bm25.py.
func TestNLTKEnglish(t *testing.T) {
	if n := len(stopWords(nltkStopWords)); n != 179 {
		t.Errorf("%d stop words, NLTK has 179", n)
	}
	got := terms(newNLTKEnglish(), " The documents, about  running\nshoes -- don't dogs flies. ")
	want := []string{"documents", "running\nsho", "dog", "flies"}
	if !slices.Equal(got, want) {
		t.Errorf("terms = %q, want %q", got, want)
	}
}

// The expected values were derived by hand from bm25s's pattern \b\w\w+\b.
func TestWordPattern(t *testing.T) {
	got := terms(newWordPattern(), "A Cat's x2 the foo_bar b é é² naïve-te")
	want := []string{"cat", "x2", "foo_bar", "é²", "naïve", "te"}
	if !slices.Equal(got, want) {
		t.Errorf("terms = %q, want %q", got, want)
	}
}

// FuzzAnalyzers: no analysis fails, and Lucene's tokens are a subsequence of the text, none of
// them longer than the scanner's buffer.
func FuzzAnalyzers(f *testing.F) {
	for _, text := range []string{"", "The cat's  whiskers", "\xff\xc0", "ส\u0e31", strings.Repeat("👩‍", 200), strings.Repeat("ก", 600)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		testkit.Small.Within(t, len(text), func() {
			terms(newNLTKEnglish(), text)
			terms(newWordPattern(), text)
			terms(newLuceneEnglish(), text)
			rest := text
			for _, token := range analyzed(newLuceneEnglish(), text) {
				at := strings.Index(rest, token)
				if at < 0 || token == "" {
					t.Fatalf("token %q of %q is empty or out of order", token, text)
				}
				if utf8.RuneCountInString(token) > maxToken {
					t.Fatalf("token of %d runes", utf8.RuneCountInString(token))
				}
				rest = rest[at+len(token):]
			}
		})
	})
}
