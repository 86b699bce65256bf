package words

import (
	"strings"
	"testing"
)

func TestLookAlikes(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string // part of the sentence; "": no sentence
	}{
		{[]string{"A", "A "}, `"A", "A "`},
		{[]string{"a b", "a\u00a0b", "a  b"}, `"a b", "a\u00a0b", "a  b"`},
		{[]string{"Org/Model", "org/model"}, `"Org/Model", "org/model"`},
		{[]string{"caf\u00e9", "cafe\u0301"}, `"caf\u00e9", "cafe\u0301"`},
		{[]string{"A", "\u0410"}, `"A", "\u0410"`},
		{[]string{"A", "\uff21"}, `"A", "\uff21"`},
		{[]string{"e5", "e5\u200b"}, `"e5", "e5\u200b"`},
		{[]string{"e5-base", "e5\u2011base"}, `"e5-base", "e5\u2011base"`},
		{[]string{"e5-base", "e5-base-v2", "bm25", "BM-25"}, ""},
		{[]string{"A", "A"}, ""},
	} {
		got := strings.Join(LookAlikes(tt.names), "\n")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%+q: %q, want %q", tt.names, got, tt.want)
		}
	}
}
