package curate

import (
	"strings"
	"testing"
)

// good returns a record that breaks no rule.
func good() Record {
	return Record{ID: "1", Kind: Text, QueryPositive: "who kept the bees", InstructionPositive: "Only texts from the north are relevant.",
		Positive: "A keeper of bees in the north wrote of hives and of honey.", InstructionNegative: "Only texts from the south are relevant.",
		HardNegative1: "In the south another keeper drew maps of every hive he knew.", QueryNegative: "who stole the honey",
		HardNegative2: "Thieves from the north took three jars of honey last winter, it was said."}
}

func someFilters() Filters {
	return Filters{Language: "en", Instruction: Lengths{3, 40}, Query: Lengths{2, 20}, Passage: Lengths{5, 100}, Alike: .8}
}

// TestRules: each rule finds its violations and names the text.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		want string
		make func(*Record)
	}{
		{"", func(*Record) {}},
		{"length: instruction", func(r *Record) { r.InstructionPositive = "North." }},
		{"length: poisoned query", func(r *Record) { r.QueryNegative = strings.Repeat("honey ", 30) }},
		{"length: passage of the poisoned query", func(r *Record) { r.HardNegative2 = "See above." }},
		{"language: poisoned instruction", func(r *Record) { r.InstructionNegative = "Nur Texte, die nicht aus dem Norden sind." }},
		{"language: passage of the poisoned instruction", func(r *Record) {
			r.HardNegative1 = "蜜蜂在北方的一位养蜂人写了关于蜂巢和蜂蜜的文章。 北方 蜂蜜 蜂巢 养蜂"
		}},
		{"near-duplicate: poisoned instruction", func(r *Record) { r.InstructionNegative = "only texts from the NORTH are relevant" }},
		{"near-duplicate: poisoned query", func(r *Record) { r.QueryNegative = "Who kept the bees?" }},
		{"near-duplicate: passage of the poisoned instruction", func(r *Record) { r.HardNegative1 = r.Positive + " Indeed." }},
		{"near-duplicate: passage of the poisoned query", func(r *Record) { r.HardNegative2 = r.HardNegative1 }},
		{"programming language: none named", func(r *Record) { r.Kind = Code }},
		{"", func(r *Record) { code(r, "Python", "python3") }},
		{"programming language: poisoned instruction", func(r *Record) { code(r, "Python", "Rust") }},
		{"programming language: poisoned instruction", func(r *Record) { code(r, "Java", "JavaScript") }},
		{"", func(r *Record) { code(r, "C++", "C++") }},
	} {
		r := good()
		c.make(&r)
		r.cut()
		if got := someFilters().textFault(&r); got != c.want {
			t.Errorf("%+v: %q, want %q", r, got, c.want)
		}
	}
}

func code(r *Record, own, poisoned string) {
	r.Kind = Code
	r.InstructionPositive = "Solve it in " + own + " with a heap."
	r.InstructionNegative = "Solve it in " + poisoned + " by recursion."
}

// TestCut: instructions and queries end with their first line; truncated parts are recorded.
func TestCut(t *testing.T) {
	r := good()
	r.InstructionPositive += "\n\nThis asks for the north."
	r.QueryNegative = "\n  who stole  the honey  \n"
	r.cut()
	if r.InstructionPositive != good().InstructionPositive || r.QueryNegative != good().QueryNegative || len(r.Cut) != 1 || r.Cut[0] != Instruction {
		t.Errorf("%+v", r)
	}
}

// TestIsIn: texts are recognized by language, and short texts without function words pass.
func TestIsIn(t *testing.T) {
	for text, language := range map[string]string{
		"What is the capital of the country that won?":           "en",
		"Was ist die Hauptstadt von dem Land, das gewonnen hat?": "de",
		"Quelle est la capitale du pays qui a gagné les Jeux ?":  "fr",
		"Wat is de hoofdstad van het land dat heeft gewonnen?":   "nl",
	} {
		for _, other := range LanguageNames() {
			if got := IsIn(text, other); got != (language == other) && other != "pt" && other != "it" && other != "es" {
				t.Errorf("%q is %s: %v", text, other, got)
			}
		}
	}
	if !IsIn("bees, hives, honey", "en") || IsIn("пчёлы и мёд", "en") || !IsIn("пчёлы и мёд", "") {
		t.Error("short or other texts")
	}
}

// TestAlike: near-duplicates are found from the given similarity on, whatever else was added.
func TestAlike(t *testing.T) {
	a := newAlike(.8)
	base := "the keeper of the bees wrote a long letter about the hives in the north and sent it to the king who had asked for honey every winter since the war"
	for i := range 2000 {
		if a.seen(strings.Repeat("filler ", i%7) + "text number " + strings.Repeat("x", i+1) + " of many that differ by their words " + strings.Repeat("y", 2000-i)) {
			t.Fatal("two of the others are alike")
		}
	}
	if a.seen(base) {
		t.Error("seen before it was added")
	}
	if !a.seen(base) || !a.seen(strings.ToUpper(base)+".") || !a.seen(base+" again") {
		t.Error("a near-duplicate was not found")
	}
	if a.seen("the keeper of the bees wrote a short note about the garden in the south and kept it from the queen who had asked for wax every summer before the peace") {
		t.Error("another text was taken for a duplicate")
	}
}
