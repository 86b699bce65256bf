package strict_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/testkit"
)

// recipe is the type into which the files below are decoded.
type recipe struct {
	Name     string   `yaml:"name"`
	Evaluate []string `yaml:"evaluate"`
	Base     struct {
		Data  string `yaml:"data"`
		Loss  string `yaml:"loss"`
		Seed  int    `yaml:"seed"`
		Train struct {
			LR            float64 `yaml:"lr"`
			Checkpointing bool    `yaml:"checkpointing"`
		} `yaml:"train"`
	} `yaml:"base"`
}

// decode decodes a recipe section by section, like decoders of real files.
func decode(text string) (recipe, error) {
	var r recipe
	d, root, err := strict.Parse("x.yaml", []byte(text))
	if err != nil {
		return r, err
	}
	v := reflect.ValueOf(&r).Elem()
	for _, f := range d.Fields(root, "file") {
		if i := strict.FieldNamed(v.Type(), f.Name); i >= 0 {
			d.Into(f.Value, v.Field(i), f.Name)
			continue
		}
		d.Fail(f.Key, "%w", nearest.Unknown("key", f.Name, strict.FieldNames(v.Type())))
	}
	return r, d.Err()
}

func TestDecode(t *testing.T) {
	r, err := decode("name: \"7\"\nevaluate: [a, &b b, *b]\nbase: {seed: 0x10, train: {lr: 1e-4, checkpointing: true}}")
	var want recipe
	want.Name, want.Evaluate = "7", []string{"a", "b", "b"}
	want.Base.Seed, want.Base.Train.LR, want.Base.Train.Checkpointing = 16, 1e-4, true
	if err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("decoded %+v, %v; want %+v", r, err, want)
	}
}

// TestDashesInTexts: a text may contain " - " above an item of the same list or of a list in it.
func TestDashesInTexts(t *testing.T) {
	for text, want := range map[string][]string{
		"evaluate:\n  - uni - multi\n  - multi":                          {"uni - multi", "multi"},
		"evaluate:\n  - uni - multi and\n    more\n  - multi":            {"uni - multi and more", "multi"},
		"evaluate:\n  - x - x - x\n  - x":                                {"x - x - x", "x"},
		"evaluate:\n  - &one uni - multi # - multi\n  - multi\n  - *one": {"uni - multi", "multi", "uni - multi"},
		"name: uni - multi\nevaluate:\n  - multi":                        {"multi"},
		"evaluate:\n  - multi\nname: uni\n  and multi - multi":           {"multi"},
		"\ufeffevaluate: [uni - multi,\n  multi]":                        {"uni - multi", "multi"},
	} {
		if r, err := decode(text); err != nil || !slices.Equal(r.Evaluate, want) {
			t.Errorf("%s: %q, %v", text, r.Evaluate, err)
		}
	}
	if _, _, err := strict.Parse("x.yaml", []byte("- claim: uni - multi\n  systems:\n    - multi")); err != nil {
		t.Error(err)
	}
	var r []string
	d, root, _ := strict.Parse("x.yaml", []byte("- uni - multi\n- multi\r- b\u0085- c\r"))
	d.Into(root, reflect.ValueOf(&r).Elem(), "file")
	if want := []string{"uni - multi", "multi", "b", "c"}; d.Err() != nil || !slices.Equal(r, want) {
		t.Errorf("with other line breaks: %q, %v", r, d.Err())
	}
}

// TestAllErrorsAtOnce: each mistake is reported at its position, in the order of the file.
func TestAllErrorsAtOnce(t *testing.T) {
	_, err := decode("nmae: x\nbase: {seed: 1.5, train: {lr: .inf}}\nevaluate: {}")
	want := "x.yaml:1:1: unknown key \"nmae\"; did you mean \"name\"? (known: name, evaluate, base)\n" +
		"x.yaml:2:14: base.seed: want a whole number, found \"1.5\"\n" +
		"x.yaml:2:31: base.train.lr: want a finite number, found \".inf\"\n" +
		"x.yaml:3:11: evaluate: want a list, found a mapping"
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}

func TestJSON(t *testing.T) {
	var r recipe
	if err := strict.JSON([]byte(`{"name":"a: b","base":{"seed":3,"train":{"lr":0.5}}}`), &r); err != nil || r.Name != "a: b" || r.Base.Seed != 3 || r.Base.Train.LR != 0.5 {
		t.Errorf("decoded %+v, %v", r, err)
	}
	for _, wrong := range []string{`{"nmae":"x"}`, `{"base":{"seed":1.5}}`, `{"base":[]}`, `{`} {
		if err := strict.JSON([]byte(wrong), &r); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
}

// poisonHead begins most faulty files: two correct lines.
const poisonHead = "name: x\nevaluate: [mini-followir]\n"

// numbered returns n lines or items, each with its number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// doubled returns n mappings that each merge the one before twice.
func doubled(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d: &a%d {p: {<<: *a%d}, q: {<<: *a%d}}\n", i+1, i+1, i, i)
	}
	return b.String()
}

// poisons are files that must be rejected, with the beginning of the error.
var poisons = []struct{ name, yaml, want string }{
	// Not a document at all.
	{"a binary file", "\x00\x01\x02\xff", "x.yaml:1:1: control character U+0000"},
	{"UTF-16", "\xff\xfen\x00a\x00", "x.yaml:1:1: the text is in UTF-16"},
	{"invalid UTF-8 in a value", poisonHead + "base: {loss: \"\xff\"}", "x.yaml:3:15: byte 0xff"},
	{"invalid UTF-8 in a comment", poisonHead + "# \xff", "x.yaml:3:3: byte 0xff"},
	{"a byte order mark inside", poisonHead + "\ufeffbase: {}", "x.yaml:3:1: control character U+FEFF"},
	{"an escape sequence of terminals", poisonHead + "base: {loss: \x1b[31m}", "x.yaml:3:14: control character U+001B"},
	{"only a comment", "# nothing\n", "x.yaml: empty file"},
	{"only a separator", "---\n", "x.yaml:2:1: file: want a mapping, found nothing"},
	{"a scalar", "hello", `x.yaml:1:1: file: want a mapping, found "hello"`},
	{"nothing", "null", "x.yaml:1:1: file: want a mapping, found nothing"},
	{"a second document", poisonHead + "---\nname: y", "x.yaml:3:1: a second document"},
	{"an empty second document", poisonHead + "---\n", "x.yaml:3:1: a second document"},
	{"a second document that is none", poisonHead + "---\n[", "x.yaml:3:1: a second document"},
	{"rubbish behind the end", poisonHead + "...\n[", "x.yaml:3:1: a second document"},

	// Syntax: yaml.v3 counts some lines from 0 and names no column.
	{"a tab", poisonHead + "base:\n\tseed: 1", "x.yaml:4:1: a tab in the indentation: YAML indents by spaces alone"},
	{"a tab behind spaces", poisonHead + "base:\n  seed: 1\n  \tworld: 2", "x.yaml:5:3: a tab in the indentation"},
	{"a tab before an item", poisonHead + "baselines:\n\t- bm25", "x.yaml:4:1: a tab in the indentation"},
	{"a name with @", poisonHead + "base: {data: @x}", "x.yaml:3:1: found character that cannot start any token: put a value that begins with @"},
	{"a brace left open", poisonHead + "base: {loss: abc\nmatrix: {}", "x.yaml:3:1: did not find expected ',' or '}': close the { of line 3"},
	{"a bracket left open", poisonHead + "matrix:\n  seed: [1, 2 # a ]\nbase: {loss: \"]\"}", "x.yaml:4:3: did not find expected ',' or ']': close the [ of line 4"},
	{"a bracket left open at the end", "name: [", "x.yaml:1:1: did not find expected node content: close the [ of line 1"},
	{"a quote left open", poisonHead + "base: {loss: \"abc\n}", "x.yaml:"},
	{"a bad indent", "name: x\n  evaluate: [mini-followir]", "x.yaml:2:3: mapping values are not allowed in this context: the line is indented by 2 spaces, the one above by 0"},
	{"a bad indent below a comment", "base:\n  seed: 1\n\n# the world\n   world: 1", "x.yaml:5:4: did not find expected key: the line is indented by 3 spaces, the one above by 2"},
	{"a worse indent", "name: x\nbase:\n  seed: 1\n world: 2", "x.yaml:4:2: did not find expected key: the line is indented by 1 space, the levels above it by 0 or 2: begin it in the column"},
	{"a worse indent, deep", "base:\n  train:\n    lr: 1\n   epochs: 2", "x.yaml:4:4: did not find expected key: the line is indented by 3 spaces, the levels above it by 0, 2 or 4"},
	{"an item out of line", poisonHead + "baselines:\n  - bm25\n - random", "x.yaml:5:2: did not find expected key: the line is indented by 1 space, the levels above it by 0 or 2"},
	{"an item deeper than its list", "name: x\nevaluate:\n- mini-followir\n  - mini-bright", "x.yaml:4:3: the line begins with \"- \" but is indented deeper than the list, so that it continues the text of line 3"},
	{"an item with a comment deeper than its list", "name: x\nevaluate:\n- a - b\n  c\n  - b # the last", "x.yaml:5:3: the line begins with \"- \" but is indented deeper than the list, so that it continues the text of line 3"},
	{"an item among keys", poisonHead + "base:\n  seed: 1\n  - 2", "x.yaml:5:3: did not find expected key: an item of a list stands among keys"},
	{"two colons", poisonHead + "base: data: x", "x.yaml:3:1: mapping values are not allowed in this context: one line holds one KEY: VALUE"},
	{"no space after the colon", poisonHead + "base:\n  seed:1\n  world: 2", "x.yaml:5:3: mapping values are not allowed in this context: the line above is not KEY: VALUE"},
	{"keys of an item out of line", "name: x\nbase:\n  - a: 1\n   b: 2", "x.yaml:4:4: did not find expected '-' indicator: the line is indented by 3 spaces, the levels above it by 0, 2 or 4"},
	{"an anchor nobody set", poisonHead + "base: *nope", "x.yaml:3:7: unknown anchor 'nope'"},
	{"a directive", "%YAML 1.2\n---\n" + poisonHead, "x.yaml:1:1: found incompatible YAML document"},

	// Keys.
	{"an unknown key", poisonHead + "bsae: {}", `x.yaml:3:1: unknown key "bsae"; did you mean "base"?`},
	{"a key in other case", poisonHead + "Name: y", `x.yaml:3:1: unknown key "Name"; did you mean "name"?`},
	{"a key twice", poisonHead + "base: {seed: 1, seed: 2}", `x.yaml:3:17: base: key "seed" given twice`},
	{"a top key twice", poisonHead + "name: y", `x.yaml:3:1: file: key "name" given twice`},
	{"a list as key", poisonHead + "? [a, b]\n: 1", "x.yaml:3:3: file: keys must be plain names"},
	{"an alias as key", poisonHead + "base: {data: &k mini-infir}\n*k : 1", "x.yaml:4:1: file: keys must be plain names"},
	{"nothing as key", poisonHead + "~: 1", `x.yaml:3:1: unknown key "~"`},
	{"true as key", poisonHead + "true: 1", `x.yaml:3:1: unknown key "true"`},

	// Numbers and words that YAML readers interpret differently.
	{"NaN", poisonHead + "base: {train: {lr: .nan}}", "x.yaml:3:20: base.train.lr: want a finite number"},
	{"NaN as Go prints it", poisonHead + "base: {train: {lr: NaN}}", "x.yaml:3:20: base.train.lr: want a finite number"},
	{"infinity", poisonHead + "base: {train: {lr: -.inf}}", "x.yaml:3:20: base.train.lr: want a finite number"},
	{"a float out of range", poisonHead + "base: {train: {lr: 1e999}}", "x.yaml:3:20: base.train.lr: want a finite number"},
	{"a fraction for an integer", poisonHead + "base: {seed: 1.5}", `x.yaml:3:14: base.seed: want a whole number, found "1.5"`},
	{"a whole fraction for an integer", poisonHead + "base: {seed: 1.0}", `x.yaml:3:14: base.seed: want a whole number, found "1.0"`},
	{"an exponent for an integer", poisonHead + "base: {seed: 1e3}", `x.yaml:3:14: base.seed: want a whole number, found "1e3"`},
	{"base 60", poisonHead + "base: {seed: 1:30}", `x.yaml:3:14: base.seed: want a whole number, found "1:30"`},
	{"octal, or not", poisonHead + "base: {seed: 010}", `x.yaml:3:14: base.seed: want a whole number, found "010"`},
	{"octal for a float", poisonHead + "base: {train: {lr: 010}}", `x.yaml:3:20: base.train.lr: want a number, found "010"`},
	{"text for an integer", poisonHead + "base: {seed: \"1\"}", `x.yaml:3:14: base.seed: want a whole number, found the text "1"`},
	{"true for an integer", poisonHead + "base: {seed: true}", `x.yaml:3:14: base.seed: want a whole number, found "true"`},
	{"yes for true", poisonHead + "base: {train: {checkpointing: yes}}", `x.yaml:3:31: base.train.checkpointing: want true or false, found "yes"`},
	{"1 for true", poisonHead + "base: {train: {checkpointing: 1}}", `x.yaml:3:31: base.train.checkpointing: want true or false, found "1"`},
	{"an integer too large", poisonHead + "base: {seed: 9223372036854775808}", "x.yaml:3:14: base.seed: want a whole number"},
	{"an integer far too large", poisonHead + "base: {seed: " + strings.Repeat("9", 4000) + "}", "x.yaml:3:14: base.seed: want a whole number"},
	{"a list for a number", poisonHead + "base: {train: {lr: [1]}}", "x.yaml:3:20: base.train.lr: want a number, found a list"},
	{"a mapping for a name", "name: {a: b}\nevaluate: [mini-followir]", "x.yaml:1:7: name: want a name, found a mapping"},
	{"a name for a list", "name: x\nevaluate: mini-followir", `x.yaml:2:11: evaluate: want a list, found "mini-followir"`},
	{"a tag of our own making", poisonHead + "base: !foo {seed: 1}", "x.yaml:3:7: a tag, !foo"},
	{"a tag that makes an integer", poisonHead + "base: {seed: !!int \"1\"}", "x.yaml:3:14: a tag, !!int"},
	{"a binary name", "name: !!binary aGk=\nevaluate: [mini-followir]", "x.yaml:1:7: a tag, !!binary"},

	// Sizes and shapes.
	{"a file of 2 MiB", poisonHead + strings.Repeat("# padding"+strings.Repeat(" ", 991)+"\n", 2000), "x.yaml:1050:496: larger than 1048576 bytes"},
	{"twenty thousand unknown keys", poisonHead + numbered(20_000, "key%d: 1\n"), `x.yaml:3:1: unknown key "key0"`},
	{"twenty thousand unknown settings", poisonHead + "base:\n" + numbered(20_000, "  key%d: 1\n"), `x.yaml:4:3: unknown key "key0"`},
	{"twenty thousand anchors", poisonHead + "base:\n" + numbered(20_000, "  k%[1]d: &k%[1]d x\n"), `x.yaml:4:3: unknown key "k0"`},
	{"a value of half a megabyte", poisonHead + "base: {loss: " + strings.Repeat("k", 500_000) + "}", "x.yaml:3:14: a value of 500000 bytes, longer than 4096"},
	{"two colons above twenty thousand keys", "a: b: c\n" + numbered(20_000, "k%d: 1\n"), "x.yaml:1:1: mapping values are not allowed in this context: one line holds one KEY: VALUE"},
	{"an item among twenty thousand keys", "base:\n" + numbered(20_000, "  k%d: 1\n") + "  - 2", "x.yaml:20002:3: did not find expected key: an item of a list stands among keys"},
	{"ten thousand texts with dashes above an item", poisonHead + "base:\n  loss:\n" + numbered(10_000, "    - a - b%d\n"), "x.yaml:5:5: base.loss: want a name, found a list"},
	{"a key of half a megabyte", poisonHead + strings.Repeat("k", 500_000) + ": 1", "x.yaml:3:1: could not find expected ':'"},
	{"mappings in mappings", poisonHead + "base: " + strings.Repeat("{a: ", 3_000) + "1" + strings.Repeat("}", 3_000), `x.yaml:3:8: unknown key "a"`},
	{"keys in keys", poisonHead + strings.Repeat("? ", 5_000), "x.yaml:3:3: file: keys must be plain names"},
	{"braces", strings.Repeat("{", 900_000), "x.yaml:1:1: exceeded max depth"},
	{"colons", poisonHead + strings.Repeat(": ", 400_000), "x.yaml:3:1: "},
	{"anchors", poisonHead + strings.Repeat("&a ", 300_000), "x.yaml:3:1: "},
	{"exclamation marks", strings.Repeat("!", 900_000), "x.yaml:1:1: a tag, !!!"},

	// Merge keys.
	{"a text merged", poisonHead + "base: {<<: x}", `x.yaml:3:12: <<: want a mapping or a list of mappings, found "x"`},
	{"a list of texts merged", poisonHead + "base: {<<: [x]}", `x.yaml:3:13: <<: want a mapping or a list of mappings, found "x"`},
	{"nothing merged", poisonHead + "base: {<<: }", "x.yaml:3:12: <<: want a mapping or a list of mappings, found nothing"},
	{"two merge keys", poisonHead + "base: {train: {<<: {lr: 1}, <<: {lr: 2}}}", "x.yaml:3:29: << given twice: write <<: [*one, *other]"},
	{"a merge key in quotes", poisonHead + "base: {\"<<\": {seed: 1}}", `x.yaml:3:8: unknown key "<<"`},
	{"a merged key that is unknown", poisonHead + "base:\n  train: {<<: {lr: 1,\n    lrr: 2}}", `x.yaml:5:5: unknown key "lrr"`},
	{"a merged value that is wrong", poisonHead + "base:\n  train: {<<: {lr: abc}}", "x.yaml:4:20: base.train.lr: want a finite number"},
	{"merged into itself", poisonHead + "base: &a {seed: 1, <<: *a}", "x.yaml:3:24: <<: the mapping is merged into itself"},
	{"merged into what it holds", poisonHead + "base: &a {seed: 1, train: {<<: *a}}", "x.yaml:3:32: <<: the mapping is merged into itself"},
	{"merged in a circle", poisonHead + "base: &a {train: &b {<<: *a}, <<: *b}", "x.yaml:3:26: <<: the mapping is merged into itself"},
	{"a thousand merges of a thousand keys", "a: &a\n" + numbered(1_000, "  k%d: 1\n") + numbered(1_000, "b%d: {<<: *a}\n"), `x.yaml:1:1: unknown key "a"`},
	{"merges in merges", "a0: &a0 {k: [x]}\n" + numbered(60, "a%[1]d1: &a%[1]d1 {p: {<<: *a0}, q: {<<: *a0}}\n"), `x.yaml:1:1: unknown key "a0"`},
	{"merges of merges", "a0: &a0 {x: 1}\n" + doubled(60), `x.yaml:1:1: unknown key "a0"`},

	// Aliases that lead back to themselves.
	{"a setting in itself", poisonHead + "base: &a {train: *a}", `x.yaml:3:11: unknown key "train"`},
	{"the file in itself", "&r\nname: x\nevaluate: [mini-followir]\nbase: *r", `x.yaml:2:1: unknown key "name"`},
}

// TestPoisonIsRefusedAtOnce: mistakes and attacks in a file are rejected at once, with their
// positions.
func TestPoisonIsRefusedAtOnce(t *testing.T) {
	const longest = 2 * 20 * 4096 // errors shown, bytes of a value
	for _, c := range poisons {
		t.Run(c.name, func(t *testing.T) {
			fastest := time.Hour
			for range 3 {
				began := testkit.ProcessorTime()
				_, err := decode(c.yaml)
				fastest = min(fastest, testkit.ProcessorTime()-began)
				if err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Fatalf("error %.300v, want it to begin with %q", err, c.want)
				}
				if text := err.Error(); len(text) > longest {
					t.Fatalf("an error of %d bytes", len(text))
				}
			}
			if fastest > 100*time.Millisecond {
				t.Errorf("took %v, want at most 100 ms", fastest)
			}
		})
	}
}

// FuzzDecode: any file is either decoded or rejected with valid positions.
func FuzzDecode(f *testing.F) {
	for _, c := range poisons {
		if len(c.yaml) < 4096 {
			f.Add(c.yaml)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		testkit.Small.Within(t, len(text), func() {
			_, err := decode(text)
			var faults strict.Errors
			if err != nil && (!errors.As(err, &faults) || len(faults) == 0) {
				t.Fatalf("no list of errors: %v", err)
			}
			for _, fault := range faults {
				if fault.Line < 0 || fault.Line != math.MaxInt && fault.Line > len(text)+2 {
					t.Fatalf("%v: no such place", fault)
				}
			}
		})
	})
}

// TestLine: a line of JSON Lines is one value with known fields.
func TestLine(t *testing.T) {
	for line, want := range map[string]string{
		`{"a": 1}`:         "",
		`{"a": 1}}`:        "data after the JSON value",
		`{"a": 1}{"a": 2}`: "data after the JSON value",
		`{"a": 1, "b": 2}`: "unknown key",
		`{"a": 1`:          "EOF",
		`{"a": "one"}`:     "cannot unmarshal",
	} {
		var into struct{ A int }
		if err := strict.Line([]byte(line), &into); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		} else if err == nil && into.A != 1 {
			t.Errorf("%s: read %d", line, into.A)
		}
	}
}

// TestMergeKeys: merge keys follow yaml.org/type/merge.html; the expected values are PyYAML's.
func TestMergeKeys(t *testing.T) {
	var plain, other recipe
	plain.Base.Seed, plain.Base.Loss, plain.Base.Train.LR, plain.Base.Train.Checkpointing = 3, "a", 0.5, true
	for _, text := range []string{
		"base: {seed: 3, loss: a, train: {<<: {lr: .5}, checkpointing: true}}",
		"base: {<<: {seed: 3, loss: b, train: {lr: .5, checkpointing: true}}, loss: a}",
		"base: {loss: a, <<: {seed: 3, loss: b, train: {lr: .5, checkpointing: true}}}",
		"base: {<<: [{seed: 3}, {seed: 4, loss: a}], train: {<<: &t {lr: .5}, checkpointing: true}}",
		"base: {<<: [{seed: 3, <<: {loss: a, seed: 5}}, {loss: b}], train: {lr: .5, checkpointing: true}}",
		"base: {<<: {train: &t {lr: .5, checkpointing: true}}, seed: 3, loss: a}",
		"base:\n  <<: {seed: 3}\n  loss: a\n  train:\n    <<:\n      - {lr: 0.5}\n      - {lr: 1, checkpointing: true}",
	} {
		if got, err := decode(text); err != nil || !reflect.DeepEqual(got, plain) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	other.Evaluate, other.Base.Loss = []string{"x"}, "b"
	if got, err := decode("<<: {evaluate: [x], base: {loss: a}}\nbase: {loss: b}"); err != nil || !reflect.DeepEqual(got, other) {
		t.Errorf("at the top: %+v, %v", got, err)
	}
}
