package shell

import "testing"

func TestFit(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"what fits stays", "one two\n  three   four\n", "one two\n  three   four\n"},
		{"a paragraph is filled again", "a line that is wider than thirty\nand another\n\nthe next",
			"a line that is wider than\nthirty and another\n\nthe next"},
		{"so is an indented one", "  real\n    A difference: one that other\n    queries and other\n    seeds: would show\n",
			"  real\n    A difference: one that\n    other queries and other\n    seeds: would show\n"},
		{"a meaning stays in its column", "  --rule text   rules (required)\n  -h, --help    help",
			"  --rule text   rules\n                (required)\n  -h, --help    help"},
		{"a name without room next to it is above", "      --published stringArray   FOLDER or .tar.gz",
			"      --published stringArray\n          FOLDER or .tar.gz"},
		{"a command can be pasted", `  infbench query run --search "a b" --sort A`,
			"  infbench query run \\\n      --search \"a b\" --sort A"},
		{"so can a comment", "  new: pass   # numbers that it has not\n  dropped: fail\n  other: 1",
			"  new: pass   # numbers that\n              # it has not\n  dropped: fail\n  other: 1"},
		{"and entries stay apart", "  - a: one that is far too wide for it\n  - b: two\n  c: three\n  d: four that is too wide as well",
			"  - a: one that is far too\n    wide for it\n  - b: two\n  c: three\n  d: four that is too wide\n    as well"},
		{"a remark goes on as one", "  #   equal    to another side within\n  #   best", "  #   equal to another side\n  #   within\n  #   best"},
	} {
		if got := Fit(c.text, 30); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if got := Fit(c.text, 0); got != c.text {
			t.Errorf("%s: without a width\n%s", c.name, got)
		}
	}
}
