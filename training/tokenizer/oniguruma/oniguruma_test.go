package oniguruma

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
)

// marked replaces every match by #.
func marked(e *Expression, text string) string {
	return replaced(e, text, "#")
}

func replaced(e *Expression, text, with string) string {
	var b strings.Builder
	done := 0
	for start, end := range e.All(text) {
		b.WriteString(text[done:start] + with)
		done = end
	}
	return b.String() + text[done:]
}

// pieces lists the matches and the texts between them, without empty ones.
func pieces(e *Expression, text string) (list []string) {
	done := 0
	for start, end := range e.All(text) {
		list = append(list, text[done:start], text[start:end])
		done = end
	}
	kept := []string{}
	for _, piece := range append(list, text[done:]) {
		if piece != "" {
			kept = append(kept, piece)
		}
	}
	return kept
}

// TestPublished compares the expressions of published tokenizers with HuggingFace's library on
// texts of many scripts; testdata names its release.
func TestPublished(t *testing.T) {
	data, err := os.ReadFile("testdata/published.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Texts []string
		Cases []struct {
			Name, Expression string
			Matched          []string
			Pieces           [][]string
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		e, err := Compile(c.Expression)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		for i, text := range file.Texts {
			if got := replaced(e, text, "\ue000"); got != c.Matched[i] {
				t.Errorf("%s, text %d: matches\n%q, want\n%q", c.Name, i, got, c.Matched[i])
			}
			if got := pieces(e, text); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.Pieces[i]) {
				t.Errorf("%s, text %d: pieces\n%q, want\n%q", c.Name, i, got, c.Pieces[i])
			}
		}
	}
}

// TestClasses: the number of characters in a class, as counted with HuggingFace tokenizers 0.23.3.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		class string
		size  int
	}{
		{`\w`, 144671},
		{`[\w]`, 144665},
		{`\W`, 967393},
		{`[\W]`, 967399},
		{`\s`, 25},
		{`[\s]`, 25},
		{`\S`, 1112039},
		{`\d`, 760},
		{`[\d]`, 760},
		{`\h`, 22},
		{`\H`, 1112042},
		{`.`, 1112063},
		{`\N`, 1112063},
		{`\O`, 1112064},
		{`(?m:.)`, 1112064},
		{`\p{Han}`, 99030},
		{`\p{L}`, 141028},
		{`\p{N}`, 1911},
		{`\p{M}`, 2501},
		{`\p{P}`, 855},
		{`\p{S}`, 8514},
		{`\p{Z}`, 19},
		{`\p{C}`, 957236},
		{`\p{Lu}`, 1858},
		{`\p{Ll}`, 2258},
		{`\p{Lt}`, 31},
		{`\p{Lm}`, 404},
		{`\p{Lo}`, 136477},
		{`\p{Cn}`, 819533},
		{`\p{Nd}`, 760},
		{`\p{Nl}`, 236},
		{`\p{Mn}`, 2020},
		{`\p{Mc}`, 468},
		{`\p{Pc}`, 10},
		{`\p{Cf}`, 170},
		{`\p{Co}`, 137468},
		{`\p{Cs}`, 0},
		{`\p{Letter}`, 141028},
		{`\p{Alphabetic}`, 142759},
		{`\p{Uppercase}`, 1978},
		{`\p{Latin}`, 1487},
		{`\p{Greek}`, 518},
		{`[[:alnum:]]`, 143519},
		{`[[:alpha:]]`, 142759},
		{`[[:ascii:]]`, 128},
		{`[[:blank:]]`, 18},
		{`[[:cntrl:]]`, 65},
		{`[[:digit:]]`, 760},
		{`[[:graph:]]`, 292447},
		{`[[:lower:]]`, 2569},
		{`[[:print:]]`, 292464},
		{`[[:punct:]]`, 9369},
		{`[[:space:]]`, 25},
		{`[[:upper:]]`, 1978},
		{`[[:xdigit:]]`, 22},
		{`[[:word:]]`, 144665},
		{`(?i)[\x{1}-\x{dd}]`, 255},
		{`(?i)[^a-z]`, 1112010},
		{`(?i)\p{Lu}`, 1858},
		{`(?i)[^\p{Lu}]`, 1108798},
		{`(?i)[\p{Lu}]+`, 3266},
		{`(?i)[[:upper:]]+`, 3428},
		{`[^\s\p{L}\p{N}]`, 969100},
		{`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]`, 42584},
		{`[^\S\n]`, 24},
		{`[\W_]`, 967400},
		{`[^\w\s]`, 967374},
		{`\p{Cc}`, 65},
		{`\p{Zs}`, 17},
		{`\p{Me}`, 13},
		{`\p{No}`, 915},
		{`\p{Pd}`, 27},
		{`\p{Ps}`, 79},
		{`\p{Pe}`, 77},
		{`\p{Pi}`, 12},
		{`\p{Pf}`, 10},
		{`\p{Po}`, 640},
		{`\p{Sm}`, 950},
		{`\p{Sc}`, 63},
		{`\p{Sk}`, 125},
		{`\p{So}`, 7376},
		{`\p{Zl}`, 1},
		{`\p{Zp}`, 1},
		{`\p{Co}`, 137468},
		{`\p{LC}`, 4147},
		{`\p{Hiragana}`, 381},
		{`\p{Katakana}`, 321},
		{`\p{Hangul}`, 11739},
		{`\p{Arabic}`, 1373},
		{`\p{Devanagari}`, 164},
		{`\p{Egyptian_Hieroglyphs}`, 5105},
		{`\p{Common}`, 9053},
		{`\p{Inherited}`, 657},
	} {
		n, err := parse(c.class)
		if err != nil {
			t.Errorf("%s: %v", c.class, err)
			continue
		}
		if n.kind == repeat {
			n = n.parts[0]
		}
		size := 0
		for _, s := range n.set.and(set{{0xd800, 0xdfff}}.not()) {
			size += int(s.hi-s.lo) + 1
		}
		if size != c.size {
			t.Errorf("%s: %d characters, want %d", c.class, size, c.size)
		}
	}
}

// TestSyntax: replacements by HuggingFace tokenizers 0.23.3.
func TestSyntax(t *testing.T) {
	for _, c := range []struct{ expression, text, want string }{
		{``, "abc", "#a#b#c#"},
		{``, "", ""},
		{`x*`, "axxb", "#a#b#"},
		{`(?=b)`, "abc", "a#bc"},
		{`a|*?`, "", "error"},
		{`a||b`, "ab", "#b#"},
		{`a(?i)b|c`, "aBACC", "#ACC"},
		{`a(?i:b)|c`, "aBC", "#C"},
		{`(?<=a|bc)d`, "adbcd", "a#bc#"},
		{`(?<!\s)b`, "b bb", "# b#"},
		{`\b`, "ab cd", "#ab# #cd#"},
		{`\B`, "ab c", "a#b c"},
		{`^`, "a\nb\n", "#a\n#b\n"},
		{`$`, "a\nb\n", "a#\nb#\n#"},
		{`a\z`, "aa\n", "aa\n"},
		{`a\Z`, "aa\n", "a#\n"},
		{`\Aa`, "aa", "#a"},
		{`a{,2}`, "aaa", "##"},
		{`a{1,2}+`, "aaaaa", "#"},
		{`a{0}`, "aa", "#a#a#"},
		{`a{x}`, "a{x}", "#"},
		{`}]{`, "}]{", "#"},
		{`a?+a`, "aa", "#"},
		{`(?>a|ab)c`, "abc ac", "abc #"},
		{`(?:ab)++a`, "ababa", "#"},
		{`(?:ab|a)*+b`, "abab aab", "a#a# aa#"},
		{`(?x)a b # c`, "abc", "#c"},
		{`(?x)a +`, "aab", "#b"},
		{`a(?#c)+`, "aab", "#b"},
		{`(?<name>a)('b)`, "a'b", "#"},
		{`(?'n'a)`, "a", "#"},
		{`(?m:a.b)|a.b`, "a\nb", "#"},
		{`[]a]`, "a]b", "##b"},
		{`[^]a]`, "a]b", "a]#"},
		{`[a-c-e]`, "abcde-", "###d##"},
		{`[a-&&-]`, "a-b", "a#b"},
		{`[a-z&&[^aeiou]&&[^x]]`, "abxc", "a#x#"},
		{`[^a-z&&[^aeiou]]`, "abxc1", "#bxc#"},
		{`[a&&]`, "ab", "ab"},
		{`[^&&a]`, "ab", "##"},
		{`[a&b]`, "a&b", "###"},
		{`[[a-c][x-z]]`, "bxm", "##m"},
		{`[.[:digit:]]`, ".1a", "##a"},
		{`[[:^alpha:]]`, "a1", "a#"},
		{`[[:punct:]]`, "$.", "##"},
		{`\p{Punct}`, "$.", "$#"},
		{`\p{lowercase letter}`, "aA", "#A"},
		{`\p{^L}`, "a1", "a#"},
		{`\P{^L}`, "a1", "#1"},
		{`(?i)\p{Lu}`, "aA", "a#"},
		{`(?i)[\p{Lu}]+`, "aA", "#"},
		{`(?i)[^a]`, "aAb", "aA#"},
		{`(?i:k)`, "kK\u212a", "###"},
		{`(?i)(?-i)a`, "A", "A"},
		{`\R`, "\r\n\n\r\u0085\u2028", "#####"},
		{`\h+`, "0xFg", "#x#g"},
		{`[\h]`, "aG", "#G"},
		{`[\b\a\e]`, "\b\a\x1b", "###"},
		{`\x41\x{42}\u0043\07\0`, "ABC\a\x00", "#"},
		{`\-\é\ `, "-é ", "#"},
		{`\N\O`, "a\nb", "#b"},
	} {
		e, err := Compile(c.expression)
		if err != nil {
			if c.want != "error" {
				t.Errorf("%s: %v", c.expression, err)
			}
			continue
		}
		if got := marked(e, c.text); got != c.want {
			t.Errorf("%s on %q: %q, want %q", c.expression, c.text, got, c.want)
		}
	}
}

// TestRefused: unsupported syntax, and syntax errors of Oniguruma.
func TestRefused(t *testing.T) {
	for expression, why := range map[string]string{
		`(a)\1`:                       `\1`,
		`(?<n>a)\k<n>`:                `\k`,
		`(?<n>a)\g<n>`:                `\g`,
		`\X`:                          `\X`,
		`\Ga`:                         `\G`,
		`a\Kb`:                        `\K`,
		`[\R]`:                        `\R within brackets`,
		`(?~a)`:                       "groups of the kind (?~",
		`(?(1)a|b)`:                   "groups of the kind (?(",
		`(?s)a`:                       "groups of the kind (?s",
		`(*FAIL)`:                     "callouts",
		`(?<=a+)b`:                    "look behind whose length varies",
		`(?<!x(?:a|bc))d`:             "look behind whose length varies",
		`(?:a*)*`:                     "unbounded repetition of a part that may be empty",
		`(?:a?){2,}`:                  "unbounded repetition of a part that may be empty",
		`a{2}?`:                       "{2}?",
		`a{2,1}`:                      "the wrong order",
		`a{9999}`:                     "more than 2000 repetitions",
		`(?:a{1000}){1000}`:           "more than 2000 steps",
		`a**`:                         "repetition of a repetition",
		`\b+`:                         "repetition of a part that takes no character",
		`*a`:                          "a * that repeats nothing",
		`(?i:st)`:                     "in any case",
		`(?i:s(?:t))`:                 "in any case",
		`(?i:[ß])`:                    "in any case",
		`\xe9`:                        "a byte",
		`\xZ`:                         "without its digits",
		`\u12`:                        "without its digits",
		`\x{110000}`:                  "not a character",
		`\p{Klingon}`:                 `unknown character property "Klingon"`,
		`\p{Hann}`:                    `did you mean "Han"?`,
		`\pL`:                         "without braces",
		`\q`:                          `\q`,
		`\`:                           "backslash at the end",
		`(`:                           "not closed",
		`a)`:                          "closes no group",
		`[a`:                          "not closed",
		`[]`:                          "empty class",
		`[b-a]`:                       "empty",
		`[\d-a]`:                      "begins with a set",
		`[a-[b]]`:                     "ends with a set",
		`[a-\d]`:                      "ends with a set",
		`[[:foo:]]`:                   "not a class of POSIX",
		"a\xff":                       "not UTF-8",
		strings.Repeat("(", 1<<20):    "within another",
		strings.Repeat("[", 1<<20):    "within another",
		strings.Repeat("(?i)", 1<<20): "within another",
	} {
		if _, err := Compile(expression); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.40s: error %v, want %q", expression, err, why)
		}
	}
}

// bombs are expressions that take quadratic or exponential time in other libraries.
var bombs = []string{`a*b|.`, `a*+b|.`, `(?:a+)+b|.`, `(?:a|aa)+$b|.`, `(?=.*b)a|.`, `(?!.*b)a|.`, `(?>a+)b|.`, `(?>(?:aa|a)+)b|.`,
	`(?:a?){30}a{30}b|.`, `\s*\n|.`, `a+(?!a|c)b|.`, `(?=(?:a|aa)+b)|.`, `(?:.{5}|.{50})a+c|.`, `(?=(?>a*)c)|(?=(?>a*))a`, `a+?b|.`}

// TestLinear: ten times the text takes ten times the steps.
func TestLinear(t *testing.T) {
	for _, expression := range bombs {
		e, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		steps := func(n int) int {
			m := e.machines.New().(*machine)
			m.reset(strings.Repeat("a", n))
			for from := 0; from < n; {
				_, from = m.find(from)
			}
			return m.steps
		}
		if small, large := steps(5_000), steps(50_000); large > 11*small || large > 50_000*400 {
			t.Errorf("%s: %d steps for 5 kB, %d for 50 kB", expression, small, large)
		}
	}
}

// FuzzExpression: no expression makes a search slow or large, and matches come in order.
func FuzzExpression(f *testing.F) {
	for _, expression := range append(bombs, `(?i:'s|'t)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+`, `(?<=a|bc)d`, `[a-z&&[^b]]`) {
		f.Add(expression, "a")
		f.Add(expression, "it's ab\n 12")
	}
	f.Fuzz(func(t *testing.T, expression, part string) {
		testkit.Small.Within(t, len(expression)+len(part), func() {
			if len(expression) > 1<<12 || len(part) > 1<<10 {
				return
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			if e, err := Compile(expression); err == nil {
				text := strings.Repeat(part, 4096/max(1, len(part)))
				last := 0
				for from, to := range e.All(text) {
					if from < last || to < from || to > len(text) {
						t.Fatalf("%q: match %d to %d after %d", expression, from, to, last)
					}
					last = to
				}
			}
			runtime.ReadMemStats(&after)
			if spent := time.Since(start); spent > 10*time.Second {
				t.Errorf("%q takes %v for 4 kB", expression, spent)
			}
			if size := after.TotalAlloc - before.TotalAlloc; size > 256<<20 {
				t.Errorf("%q takes %d bytes for 4 kB", expression, size)
			}
		})
	})
}

func BenchmarkAll(b *testing.B) {
	e, err := Compile(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("The quick brown fox, it's said, jumps over 12345 lazy dogs!\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range e.All(text) {
		}
	}
}
