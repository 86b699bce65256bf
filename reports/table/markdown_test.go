package table

import "testing"

// Nothing that GitHub notifies, links or renders is left of a name; a measure stays.
func TestMarkdownInert(t *testing.T) {
	for text, want := range map[string]string{
		"nDCG@10":         "nDCG@10",
		"@octocat":        "@\u200boctocat",
		"by @org/team":    "by @\u200borg/team",
		"me@example.com":  "me@\u200bexample.com",
		"www.example.org": "www\u200b.example.org",
		"https://x":       "https:\u200b//x",
		"GH-1":            "GH\u200b-1",
		"$x$":             `\$x\$`,
	} {
		if got := MarkdownText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
