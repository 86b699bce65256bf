package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docPage is a page of the documentation: its path from the root of the repository, with
// slashes, and its text.
type docPage struct{ path, text string }

// docPages are README.md and all pages below docs, README.md first, the others in the order
// of their paths.
func docPages(t *testing.T) (all []docPage) {
	t.Helper()
	root := filepath.Join("..", "..")
	paths := []string{"README.md"}
	for _, folder := range []string{"docs", "docs/findings"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			paths = append(paths, folder+"/"+filepath.Base(path))
		}
	}
	for _, path := range paths {
		all = append(all, docPage{path, string(mustRead(t, filepath.Join(root, filepath.FromSlash(path))))})
	}
	return all
}

// heading matches a heading of Markdown.
var heading = regexp.MustCompile(`(?m)^(#+) (.+)$`)

// pageSection returns the text below the only heading on all pages with this title, up to the
// next heading that is not below it.
func pageSection(t *testing.T, title string) string {
	t.Helper()
	var found []string
	for _, p := range docPages(t) {
		all := heading.FindAllStringSubmatchIndex(p.text, -1)
		for i, h := range all {
			if p.text[h[4]:h[5]] != title {
				continue
			}
			end := len(p.text)
			for _, next := range all[i+1:] {
				if next[3]-next[2] <= h[3]-h[2] {
					end = next[0]
					break
				}
			}
			found = append(found, p.text[h[1]:end])
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d sections %q in README.md and docs, want one", len(found), title)
	}
	return found[0]
}

// fenced matches a fenced block, which shows a file.
var fenced = regexp.MustCompile("(?ms)^```.*?^```$")

// unfenced returns a text with blank lines instead of its fenced blocks.
func unfenced(text string) string {
	return fenced.ReplaceAllStringFunc(text, func(block string) string {
		return strings.Repeat("\n", strings.Count(block, "\n"))
	})
}

// indented returns the commands of a text on their own indented lines, without comments.
func indented(text string) (commands []string) {
	for line := range strings.Lines(unfenced(text)) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			command, _, _ = strings.Cut(strings.TrimPrefix(command, "$ "), " #")
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	return commands
}

// pageLink matches a link of Markdown, or a picture; its first group is the target.
var pageLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// Every relative link of a page leads to a file of the repository and to an existing heading,
// and every page can be reached by links from README.md.
func TestPageLinks(t *testing.T) {
	all := docPages(t)
	texts, leads := map[string]string{}, map[string][]string{}
	for _, p := range all {
		texts[p.path] = p.text
	}
	checked := 0
	for _, p := range all {
		for _, m := range pageLink.FindAllStringSubmatch(p.text, -1) {
			target, anchor, anchored := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			checked++
			to := p.path
			if target != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(p.path)), filepath.FromSlash(target)))
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s: %v", p.path, m[1], err)
			}
			if anchored && !slices.Contains(anchors(texts[to]), anchor) {
				t.Errorf("%s links to %s: %s has no such heading", p.path, m[1], to)
			}
			leads[p.path] = append(leads[p.path], to)
		}
	}
	reached := map[string]bool{}
	var walk func(string)
	walk = func(path string) {
		if !reached[path] {
			reached[path] = true
			for _, to := range leads[path] {
				walk(to)
			}
		}
	}
	walk("README.md")
	for _, p := range all {
		if !reached[p.path] {
			t.Errorf("no links lead from README.md to %s", p.path)
		}
	}
	if checked < 80 {
		t.Errorf("%d relative links", checked)
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them: lower case, a
// hyphen for a blank, and only letters, digits, hyphens and underscores.
func anchors(text string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, regexp.MustCompile(`[^\pL\pN_-]`).ReplaceAllString(strings.ReplaceAll(strings.ToLower(h[2]), " ", "-"), ""))
	}
	return all
}

// The table in README.md has exactly the verbs.
func TestPageVerbs(t *testing.T) {
	var verbs, shown []string
	root := newRoot()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if !cmd.Hidden && cmd.Runnable() || cmd.HasSubCommands() {
			verbs = append(verbs, cmd.Name())
		}
	}
	for line := range strings.Lines(pageSection(t, "The verbs")) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cells[2], -1) {
				shown = append(shown, m[1])
			}
		}
	}
	slices.Sort(verbs)
	slices.Sort(shown)
	if !slices.Equal(verbs, shown) {
		t.Errorf("README.md has the verbs\n%v, want\n%v", shown, verbs)
	}
}

// A page has at most one section on its limits.
func TestPageLimits(t *testing.T) {
	for _, p := range docPages(t) {
		if n := strings.Count(p.text, "\n## Limits\n"); n > 1 {
			t.Errorf("%s has %d sections on its limits", p.path, n)
		}
	}
}
