package terminal

import (
	"bytes"
	"io"
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 0, []string{"one two three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two", 8, []string{"one  two"}},
		{"", 5, []string{""}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"to org/model-name-x1 end", 12, []string{"to", "org/model-", "name-x1 end"}},
		{"検索モデル", 5, []string{"検索", "モデ", "ル"}},
		{"検索", 1, []string{"検", "索"}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestWidthOf(t *testing.T) {
	for _, c := range []struct {
		own        int
		isTerminal bool
		columns    string
		want       int
	}{
		{120, true, "", 120}, {120, true, "80", 120}, {0, true, "", 80}, {0, true, "100", 100}, {0, false, "", 0}, {0, false, "100", 100},
		{0, false, "ten", 0}, {0, false, "-5", 0}, {0, true, "0", 80}, {5, true, "", LeastWidth}, {0, false, "3", LeastWidth},
	} {
		if got := widthOf(c.own, c.isTerminal, func(string) string { return c.columns }); got != c.want {
			t.Errorf("widthOf(%d, %v, %q) = %d, want %d", c.own, c.isTerminal, c.columns, got, c.want)
		}
	}
}

func TestColoured(t *testing.T) {
	for _, c := range []struct {
		isTerminal bool
		env        map[string]string
		want       bool
	}{
		{true, nil, true}, {false, nil, false},
		{true, map[string]string{"NO_COLOR": "1"}, false}, {true, map[string]string{"NO_COLOR": ""}, true}, {true, map[string]string{"TERM": "dumb"}, false},
		{false, map[string]string{"FORCE_COLOR": "1"}, true}, {false, map[string]string{"CLICOLOR_FORCE": "1"}, true}, {false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{true, map[string]string{"FORCE_COLOR": "0"}, false}, {false, map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, false},
	} {
		if got := coloured(c.isTerminal, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("coloured(%v, %v) = %v", c.isTerminal, c.env, got)
		}
	}
}

// wrapped wraps a writer, as the output of a verb does.
type wrapped struct{ io.Writer }

func (w wrapped) Unwrap() io.Writer { return w.Writer }

func TestOn(t *testing.T) {
	t.Setenv("COLUMNS", "90")
	t.Setenv("FORCE_COLOR", "1")
	t.Setenv("NO_COLOR", "")
	if got := On(wrapped{&bytes.Buffer{}}); got.Width != 90 || !got.Colour {
		t.Errorf("screen %+v", got)
	}
	if got := On(wrapped{Screen{Width: 33}}); got.Width != 33 || got.Colour {
		t.Errorf("a screen is not what it was: %+v", got)
	}
}
