package chatrank

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/chat"
	"infbench/internal/testkit"
)

// orders are answers of models to the question for an order of four passages, with the
// positions that they name followed by the rest.
var orders = map[string]string{
	"[2] > [1] > [3] > [4]":           "[1 0 2 3]",
	"[2]>[1]>[3]>[4].":                "[1 0 2 3]",
	"[4], [1], [3], [2]":              "[3 0 2 1]",
	"[4]\n[1]\n[3]\n[2]\n":            "[3 0 2 1]",
	"[4][1][ 3 ] [2]":                 "[3 0 2 1]",
	"[2] = [1] > [3]":                 "[1 0 2 3]",
	"[2] -> [1] → [3]":                "[1 0 2 3]",
	"3, 1, 2":                         "[2 0 1 3]",
	"3 > 1 > 2 > 4":                   "[2 0 1 3]",
	"3 1\u00a02":                      "[2 0 1 3]",
	"3\n1\n2\n4":                      "[2 0 1 3]",
	"[3, 1, 2, 4]":                    "[2 0 1 3]",
	"[2] > [2] > [9] > [0]":           "[1 0 2 3]",
	"[3]":                             "[2 0 1 3]",
	"[3] > [1] > ...":                 "[2 0 1 3]",
	"1. [3]\n2. [1]\n3. [2]\n4. [4]":  "[2 0 1 3]",
	"1) [3]\r\n2) [1]\r\n":            "[2 0 1 3]",
	"1. [3] 2. [1]":                   "[2 0 1 3]",
	"1. 3\n2. 1\n3. 2":                "[2 0 1 3]",
	"- [3]\n- [1]":                    "[2 0 1 3]",
	"* [3]\n* [1]":                    "[2 0 1 3]",
	"**[3]** > **[1]**":               "[2 0 1 3]",
	"Ranking: [3] > [1]":              "[2 0 1 3]",
	"The ranking is: [3] > [1]":       "[2 0 1 3]",
	"The order is [3]>[ 1 ].":         "[2 0 1 3]",
	"Final answer: [3] > [1]":         "[2 0 1 3]",
	"**Final Ranking:**\n\n[3] > [1]": "[2 0 1 3]",
	"### Ranking\n[3] > [1]":          "[2 0 1 3]",
	"Here is the ranking of the 4 passages: [3] > [1]":                "[2 0 1 3]",
	"Sure! Here's the final order, best first: 3, 1":                  "[2 0 1 3]",
	"The passage ranking by relevance is as follows:\n1. [3]\n2. [1]": "[2 0 1 3]",
	"```\n[3] > [1]\n```":                           "[2 0 1 3]",
	"Ranking:\n```json\n[3, 1]\n```":                "[2 0 1 3]",
	"`[3] > [1]`":                                   "[2 0 1 3]",
	"\"[3] > [1]\"":                                 "[2 0 1 3]",
	"<answer>[3] > [1]</answer>":                    "[2 0 1 3]",
	"<think>[1] or so</think>[2] > [1]":             "[1 0 2 3]",
	"[1] or so</think>\n\n[2] > [1]":                "[1 0 2 3]",
	"<think>see </think> then [4]</think>[2] > [1]": "[1 0 2 3]",
}

// prose are answers with numbers that are not an order.
var prose = []string{
	"", "none of them", "[7]", "0, 7",
	"I cannot rank these 3 passages.",
	"As of 2023, I am unable to rank the 4 passages.",
	"HTTP 429: too many requests, retry after 2 seconds",
	"Neither [3] nor [1] is relevant.",
	"<think>so [4] is better than [2]",
	"<think>so</think>I think <think>[4] > [2]",
	"[4] > [2]</think>",
	"[4] > [2]</think>I cannot tell.",
	"The order is [3]>[1], of 3.",
	"The ranking is not [3] > [1]",
	"There is no ranking: 3 1",
	"No. [3] > [1]",
	"[3] and [1]",
	"[3] > [1] would be wrong",
	"[3] is the only relevant one, [1] is not.",
	"[1] < [2] < [3]",
	"[3] > ... > [1]",
	"[-3] > [1]", "3.5, 2.5", "3-1-2", "2/4", "2 of 4", "4.", "4", "The ranking is: 4", "[1", "[3] > [1",
	"3 > [1]",
	"{\"ranking\": [3, 1]}",
	"2. [3]\n1. [4]",
	"1. [3]\n3. [1]",
	"1. 3",
	"The list of the 3 passages",
	"The ranking of the 4 passages: 2",
	"```cannot\n[3] > [1]\n```",
	"Order the 4 passages, the best first, each number once, as in [2] > [1] > [3].",
	"排序不可能：[3] > [1]",
	strings.Repeat("9", 40) + " 1",
}

func TestPermutation(t *testing.T) {
	for text, want := range orders {
		if got, err := Permutation(text, 4); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range prose {
		if got, err := Permutation(text, 4); got != nil || chat.ClassOf(err) != chat.Malformed {
			t.Errorf("%q is taken for the order %v (%v)", text, got, err)
		}
	}
}

// Words that may occur before or around an order; no others may.
var (
	word  = regexp.MustCompile(`\pL+`)
	known = strings.Fields("sure certainly of course okay ok here is s below this the my final best correct new resulting relevance passage document" +
		" ranked reranked re sorted ordered ranking order ordering answer result permutation list output passages documents by based on in from first most" +
		" relevant to worst least would be as follows text txt plaintext json markdown md")
)

// FuzzPermutation: whatever the model's answer, the result is a permutation, and it is not read
// from prose.
func FuzzPermutation(f *testing.F) {
	for text := range orders {
		f.Add(text, 4)
	}
	for _, text := range prose {
		f.Add(text, 4)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		testkit.Small.Within(t, len(text), func() {
			if n < 1 || n > 100 {
				return
			}
			places, err := Permutation(text, n)
			if err != nil {
				return
			}
			for i, place := range slices.Sorted(slices.Values(places)) {
				if i != place || len(places) != n {
					t.Fatalf("%v", places)
				}
			}
			said := text[strings.LastIndex(text, "</think>")+1:]
			for _, w := range word.FindAllString(strings.TrimPrefix(said, "/think>"), -1) {
				if !slices.Contains(known, strings.ToLower(w)) {
					t.Fatalf("%q is taken for an order in spite of %q", text, w)
				}
			}
		})
	})
}
