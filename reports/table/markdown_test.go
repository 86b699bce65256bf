package table

import "testing"

// TestMarkdownInert checks that a name holds nothing that GitHub would notify, link or
// render, and that a measure's name does not change.
func TestMarkdownInert(t *testing.T) {
	for text, want := range map[string]string{
		"nDCG@10":         "nDCG@10",
		"@octocat":        "@\u200boctocat",
		"by @org/team":    "by @\u200borg/team",
		"me@example.com":  "me@\u200bexample.com",
		"www.example.org": "www\u200b.example.org",
		"https://x":       "https:\u200b//x",
		"GH-1":            "GH\u200b-1",
		"$x$":             "&#36;x&#36;",
		".@octocat":       ".@\u200boctocat",
		"a@b":             "a@\u200bb",
		"me@10.com":       "me@\u200b10.com",
		"nDCG@10, R@5":    "nDCG@10, R@5",
		"a/b@1234567":     "a/b@\u200b1234567",
		"@1up":            "@\u200b1up",
		"http:www.x":      "http:www\u200b.x",
		"org/repo#12":     "org/repo\\#\u200b12",
		":tada::+1:":      ":\u200btada::\u200b+1:",
		":http://x":       ":\u200bhttp:\u200b//x",
		"12:34:56":        "12:34:56",
		"gh-7, Gh-":       "gh\u200b-7, Gh-",
		"[^1] - [ ]":      `\[^1\] - \[ \]`,
	} {
		if got := MarkdownText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
