package datasets

import (
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
)

// overlapTexts yields the given texts; the part before the first colon is the group.
func overlapTexts(items ...string) iter.Seq2[OverlapText, error] {
	return func(yield func(OverlapText, error) bool) {
		for _, item := range items {
			group, text, _ := strings.Cut(item, ":")
			if !yield(OverlapText{Group: group, ID: text[:min(3, len(text))], Text: text}, nil) {
				return
			}
		}
	}
}

// The expected counts are by hand, with sequences of 3 words.
func TestCheck(t *testing.T) {
	train := overlapTexts("t:The quick brown fox jumps.", "t:two words", "t:")
	for _, c := range []struct {
		name string
		test []string
		want []OverlapCount
	}{
		{"equal but for case and punctuation", []string{"q:the QUICK, brown fox jumps"},
			[]OverlapCount{{Group: "q", Texts: 1, Exact: 1, Partial: 1, Grams: 3, Shared: 3, Examples: []string{"the"}}}},
		{"one run shared of four", []string{"q:a quick brown fox sleeps here"},
			[]OverlapCount{{Group: "q", Texts: 1, Partial: 1, Grams: 4, Shared: 1, Examples: []string{"a q"}}}},
		{"words shared, no run", []string{"q:fox brown quick the"},
			[]OverlapCount{{Group: "q", Texts: 1, Grams: 2}}},
		{"shorter than a run: the whole text counts", []string{"q:Two words", "q:two"},
			[]OverlapCount{{Group: "q", Texts: 2, Exact: 1, Partial: 1, Grams: 2, Shared: 1, Examples: []string{"Two"}}}},
		{"word boundaries matter", []string{"q:thequick brown fox"},
			[]OverlapCount{{Group: "q", Texts: 1, Grams: 1}}},
		{"empty text", []string{"q:...", "d:two words"},
			[]OverlapCount{{Group: "q", Texts: 1}, {Group: "d", Texts: 1, Exact: 1, Partial: 1, Grams: 1, Shared: 1, Examples: []string{"two"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := check(train, overlapTexts(c.test...), 3)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestCheckErrors(t *testing.T) {
	broken := func(yield func(OverlapText, error) bool) { yield(OverlapText{}, errors.New("broken line")) }
	if _, err := check(broken, overlapTexts("q:x"), 3); err == nil || !strings.Contains(err.Error(), "training texts: broken line") {
		t.Errorf("training error: %v", err)
	}
	if _, err := check(overlapTexts("t:x"), broken, 3); err == nil || !strings.Contains(err.Error(), "test texts: broken line") {
		t.Errorf("test error: %v", err)
	}
	if _, err := check(overlapTexts("t:x"), overlapTexts("q:x"), 0); err == nil {
		t.Error("runs of 0 words were accepted")
	}
}

// check compares test texts with a training corpus by sequences of n words.
func check(train, test iter.Seq2[OverlapText, error], n int) ([]OverlapCount, error) {
	c, err := LearnOverlap(train, n)
	if err != nil {
		return nil, err
	}
	return c.Count(test)
}
