package command

import (
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"infbench/bench/heap"
	"infbench/internal/usage"
	"infbench/reports"
	"infbench/reports/gate"
	"infbench/runners/results"
)

// commentOptions are the flags of report that make a comment on a pull request.
type commentOptions struct {
	pr       bool
	baseline []string
	rules    string
	link     string
	site     string
	known    gateKnown
}

func (o *commentOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.pr, "pr", false, "with --format markdown: a comment for a pull request, of at most 65,536 characters")
	f.StringArrayVar(&o.baseline, "baseline", nil, "with --pr: run folder or HTML report to compare with; may be repeated")
	f.StringVar(&o.rules, "rule", "", "with --pr: rules of infbench gate, whose outcome the comment opens with")
	f.StringVar(&o.link, "link", "", "with --pr: address of the full report, for readers of the comment")
	f.StringVar(&o.site, "site", "", "with --pr: address of the published site, to which the comment links for history and definitions")
	o.known.AddFlags(cmd, "with --rule: ")
}

// webAddress matches an address that is safe in Markdown.
var webAddress = regexp.MustCompile(`^https?://[^\s()<>\[\]"]+$`)

// check refuses flags that make no sense together.
func (o *commentOptions) check(format string, projected bool) error {
	switch {
	case !o.pr && (len(o.baseline) > 0 || o.rules != "" || o.link != "" || o.site != ""):
		return usage.Errorf("report: --baseline, --rule, --link and --site are for --pr")
	case o.link != "" && !webAddress.MatchString(o.link):
		return usage.Errorf("report: --link %q: want an address that begins with https://", o.link)
	case o.site != "" && !webAddress.MatchString(o.site):
		return usage.Errorf("report: --site %q: want an address that begins with https://", o.site)
	case o.rules == "" && o.known != (gateKnown{}):
		return usage.Errorf("report: --history, --commit and --accepted are for --rule")
	case o.pr && format != "markdown":
		return usage.Errorf("report: --pr makes Markdown: add --format markdown")
	case o.pr && projected:
		return usage.Errorf("report: --pr takes no projection, picture or published numbers")
	}
	return nil
}

// write prints the comment.
func (o *commentOptions) write(w io.Writer, exps []*results.Experiment) error {
	baseline, err := loadSets(o.baseline)
	if err != nil {
		return err
	}
	c := gate.CommentContext{Report: o.link, Site: o.site}
	if o.rules != "" {
		known, err := o.known.Read()
		if err != nil {
			return err
		}
		if c.Gate, err = judgeGate(o.rules, known, baseline, exps); err != nil {
			return err
		}
	}
	return gate.WriteComment(w, exps, baseline, c, reports.Options{Heap: heap.Small})
}
