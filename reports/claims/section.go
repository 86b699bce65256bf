package claims

import (
	"cmp"
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/section"
	"infbench/reports/table"
)

// Section shows the verdicts on the claims of a file.
func (d *Judged) Section(id string) section.Section {
	return section.Section{ID: id, Title: d.title(), Nav: "Claims", Intro: d.Said(), Tables: section.Listed(d.Table(id + "-table")),
		Parts: []section.Section{{ID: id + "-each", Title: "The claims and their tests", Terms: d.terms()}}}
}

func (d *Judged) title() string {
	return "Claims of " + cmp.Or(d.File.Title, d.File.Name)
}

// Said counts the verdicts: "20 claims: 3 hold (1 of them for one training run only), ...".
func (d *Judged) Said() string {
	count, limited, all := map[Verdict]int{}, map[Verdict]int{}, 0
	for _, j := range d.Judgements {
		if j.Of == "" {
			all++
			count[j.Verdict]++
			if j.Scope == contrast.ThisRun {
				limited[j.Verdict]++
			}
		}
	}
	var parts []string
	for _, v := range verdicts {
		text := fmt.Sprintf("%d %s", count[v], map[Verdict]string{Holds: "hold"}[v])
		if v != Holds {
			text = fmt.Sprintf("%d %s", count[v], v)
		}
		if limited[v] > 0 {
			text += fmt.Sprintf(" (%d of them for one training run only)", limited[v])
		}
		parts = append(parts, text)
	}
	return fmt.Sprintf("%s: %s.", words.Plural(all, "claim", "claims"), strings.Join(parts, ", "))
}

// Table lists the claims with their verdicts.
func (d *Judged) Table(id string) *table.Table {
	t := &table.Table{ID: id, Title: "Verdicts",
		Caption: fmt.Sprintf("Differences ×100 (for data: as measured), positive if the first side is higher; means for claims on a mean. Intervals cover all %d tested claims together with 95%%. "+
			"A claim holds, or is reversed, if %s are significant after Holm's correction over the file (p ≤ %v). \"best\" holds if each of the others is behind. "+
			"If several comparisons must hold, the least certain one is shown. \"equal\" needs two one-sided tests within the claim's margin; \"no worse\" excludes a loss of more than the margin. For claims that are not shown, \"found\" is the smallest true difference that would be found in 80%% of cases, given how queries and training runs vary.",
			d.Tested, contrast.Method, contrast.Significant),
		Columns: []table.Column{{Name: "claim"}, {Name: "on"}, {Name: "verdict"}, {Name: "difference", Number: true, Best: table.NoBest},
			{Name: "p (Holm)", Number: true, Best: table.NoBest}, {Name: "n", Number: true, Best: table.NoBest}, {Name: "seeds", Number: true, Best: table.NoBest}, {Name: "found", Number: true, Best: table.NoBest}}}
	for _, j := range d.Judgements {
		t.Rows = append(t.Rows, j.row())
	}
	t.Notes = append(append(t.Notes, d.pairNotes()...), d.File.note())
	return t
}

// pairNotes names the tests whose intervals are shown for claims on two systems.
func (d *Judged) pairNotes() []string {
	var pairs []*contrast.Contrast
	for _, j := range d.Judgements {
		if j.pair != nil {
			pairs = append(pairs, j.pair)
		}
	}
	over := contrast.Families(pairs)
	if len(over) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("A claim on exactly two systems shows the interval and p of that pair on its board, one of %s. Its verdict uses Holm's correction over the file.", strings.Join(over, "; "))}
}

// note names the file of the claims.
func (f *File) note() string {
	return strings.TrimSpace(fmt.Sprintf("Claims: %s (SHA-256 %s) %s", words.Clean(f.Name), words.Shorten(f.Hash()), f.URL))
}

// row shows one claim, or its verdict for one value of a setting.
func (j *Judgement) row() table.Row {
	c := j.Claim
	on := c.measured() + ", " + cmp.Or(c.On, c.Study)
	entries := []table.Entry{{Text: j.Name()}, {Text: on}, {Text: j.Words(), Tone: j.tone()}}
	if j.Rival != "" {
		entries[2].Text += " (" + j.Rival + ")"
	}
	switch {
	case j.Sequence != nil:
		return table.Row{Entries: append(append(entries, j.sequenced()), make([]table.Entry, 4)...)}
	case j.Verdict == NotRun:
		return table.Row{Entries: append(entries, make([]table.Entry, 5)...)}
	}
	entries = append(entries, j.difference(), table.Entry{}, table.Number(words.Group(j.N), float64(j.N)), table.Entry{Text: j.seeds()}, table.Entry{})
	if !j.Exact {
		entries[4] = table.Number(words.PValue(j.shownP()), j.shownP())
	}
	if v, ok := j.Smallest().Get(); ok {
		entries[7] = table.Number("±"+j.format(v, false), v)
	}
	return table.Row{Entries: entries}
}

// difference prints the difference with its interval.
func (j *Judgement) difference() table.Entry {
	text := j.format(j.Difference, j.Claim.Than == nil)
	if !j.Exact {
		text += j.ends(j.shown().Interval(), j.Claim.Than == nil)
	}
	return table.Number(text, j.Difference)
}

// sequenced prints the difference of a sequence with its limits.
func (j *Judgement) sequenced() table.Entry {
	v, ok := j.Sequence.Difference.Get()
	if !ok {
		return table.Entry{}
	}
	return table.Number(j.format(v, true)+j.ends(j.Sequence.Limits, true), v)
}

// ends prints an interval to follow its value, with signs for a difference; "" if undefined.
func (j *Judgement) ends(i stats.Interval, signed bool) string {
	low, high, ok := i.Get()
	if !ok {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", j.format(low, signed), j.format(high, signed))
}

// format prints a number of the claim, a difference with its sign.
func (j *Judgement) format(v float64, signed bool) string {
	decimals := 1
	if j.study {
		decimals = 4
		if j.Exact && v == float64(int(v)) {
			decimals = 0
		}
	}
	text := words.Minus(words.Fixed(v*j.Claim.scale(), decimals))
	if signed && v > 0 {
		return "+" + text
	}
	return text
}

// seeds prints the number of training runs of the systems.
func (j *Judgement) seeds() string {
	switch {
	case j.Seeds[0] == 0:
		return words.UndefinedMark
	case j.Seeds[0] == j.Seeds[1]:
		return fmt.Sprint(j.Seeds[0])
	}
	return fmt.Sprintf("%d–%d", j.Seeds[0], j.Seeds[1])
}

// tone colours shown verdicts; verdicts on one training run get another weight.
func (j *Judgement) tone() table.Tone {
	once := j.Scope == contrast.ThisRun
	switch {
	case j.Verdict == NotRun:
		return table.Absent
	case j.Verdict == Holds && once:
		return table.BetterOnce
	case j.Verdict == Reversed && once:
		return table.WorseOnce
	case j.Verdict == Holds:
		return table.Better
	case j.Verdict == Reversed:
		return table.Worse
	}
	return table.Plain
}

// terms lists for each claim its sentence and place, missing results and remarks, and the command
// that makes its results.
func (d *Judged) terms() []section.Term {
	var out []section.Term
	for _, j := range d.Judgements {
		t := section.Term{Name: j.Name(), Text: j.Claim.Says, More: j.Remarks()}
		if j.Claim.Where != "" {
			t.Text += " (" + j.Claim.Where + ")"
		}
		if j.Of != "" {
			t.Text = ""
		}
		t.Text = strings.TrimSpace(t.Text + " — " + j.Words() + ".")
		if j.Of == "" {
			t.More = append(t.More, "Tested: "+j.Claim.Tested()+".", "Decided by: "+j.Claim.Command)
		}
		out = append(out, t)
	}
	return out
}

// Name returns the ID of the claim, with the value of the setting for which it is judged.
func (j *Judgement) Name() string {
	if j.Of == "" {
		return j.Claim.ID
	}
	return j.Claim.ID + ", " + j.Claim.Each + "=" + j.Of
}

// missingShown limits the listed missing results.
const missingShown = 12

// Remarks returns sentences on missing results, or on limits of the verdict.
func (j *Judgement) Remarks() []string {
	var out []string
	if j.Verdict == NotRun {
		out = []string{"Missing: " + strings.Join(shortened(j.Missing), "; ") + "."}
	}
	for _, n := range j.Notes {
		out = append(out, strings.ToUpper(n[:1])+n[1:]+".")
	}
	return out
}

// shortened lists the first missingShown texts, each once.
func shortened(all []string) []string {
	var out []string
	for _, text := range all {
		out = words.AddNew(out, text)
	}
	if more := len(out) - missingShown; more > 0 {
		out = append(out[:missingShown:missingShown], fmt.Sprintf("and %d more", more))
	}
	return out
}
