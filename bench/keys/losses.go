package keys

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/reports/terminal"
	"infbench/training"
)

// Elsewhere is a loss of another library and its settings here.
type Elsewhere struct {
	Name  string
	Loss  string // value of loss:; "" if the name works with any loss
	Train string // settings under train:, as a flow mapping without braces
	Note  string // difference between the two
}

// Elsewheres are losses of Sentence Transformers, FlagEmbedding and papers, as values of the
// settings here. losses_extended.json checks them against the numbers of these libraries.
func Elsewheres() []Elsewhere {
	const gist = "false_negatives: {guide: MODEL, margin: 0, relative: false, own: mask}"
	return []Elsewhere{
		{"InF-Embed", "multi(P,I)", "", "or another loss above, unchanged"},
		{"MultipleNegativesRankingLoss", "uni(P)", "negatives: 1", "negatives is the number of negative columns"},
		{"CachedMultipleNegativesRankingLoss", "uni(P)", "chunk: 32", "mini_batch_size is chunk"},
		{"MultipleNegativesSymmetricRankingLoss", "uni(P,IQ)", "", "twice the value"},
		{"MNRL, query_to_doc and doc_to_query, joint", "multi(P,IQ)", "duplicates: keep", ""},
		{"MNRL, all directions (GTE)", "multi(P,IQ,ST)", "duplicates: keep", ""},
		{"MNRL, query_to_doc, query_to_query, doc_to_doc", "multi(P,ST)", "", ""},
		{"MNRL, hardness_mode hard_negatives", "uni(P)", "negatives: 1, hardness: {alpha: 5, on: own}", ""},
		{"MNRL, hardness_mode in_batch_negatives", "uni(P)", "hardness: {alpha: 9, on: batch}", ""},
		{"MNRL, hardness_mode all_negatives (LLaVE)", "uni(P)", "hardness: {alpha: 9, on: all}", ""},
		{"GISTEmbedLoss, contrast_* true", "multi(P,ST)", gist, "without mined negatives, which it leaves out when it compares passages with passages"},
		{"GISTEmbedLoss, contrast_* false", "uni(P)", gist, ""},
		{"Qwen3-Embedding", "multi(P,ST)", "false_negatives: {equal: mask, guide: self, margin: -0.1, relative: false, own: mask}", ""},
		{"DistillKLDivLoss", "", "negatives: 4, distill: {teacher: scores, loss: kl, list: own, share: 1}", "its value divided by the squared student temperature"},
		{"MarginMSELoss", "", "negatives: 4, distill: {teacher: scores, loss: margin_mse, list: own, share: 1}", "on cosines / temperature"},
		{"ListNetLoss", "", "negatives: 4, distill: {teacher: scores, loss: kl, list: own, share: 1}", "its value without the teacher's entropy, which has no gradient"},
		{"ListMLELoss", "", "negatives: 4, distill: {teacher: scores, loss: list_mle, list: own, share: 1}", "in the order of the labels"},
		{"PListMLELoss", "", "negatives: 4, distill: {teacher: scores, loss: list_mle, weights: plist, list: own, share: 1}", "in the order of the labels"},
		{"ADRMSELoss", "", "negatives: 4, distill: {teacher: scores, loss: adr_mse, list: own, share: 1}", ""},
		{"MSELoss of cross-encoders", "", "negatives: 4, distill: {teacher: scores, loss: mse, list: own, share: 1}", "on cosines / temperature"},
		{"RankNetLoss", "pair(P)", "negatives: 4, candidates: own", "grades of a teacher: distill: {loss: pair}"},
		{"LambdaLoss", "pair(P)", "negatives: 4, candidates: own, pair: {weights: ndcg2pp}", "or weights lambdarank, ndcg2"},
		{"MatryoshkaLoss", "", "matryoshka: {dims: [64, 32, 16]}", "with any loss"},
		{"NoDuplicatesBatchSampler", "", "false_negatives: {equal: mask}", "the default; batches are unchanged"},
		{"SigLIP, BiXSE", "sig(P)", "temperature: 0.1, bias: -10", "neither is learned"},
	}
}

// LossesCommand is the verb list losses.
func LossesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "losses [NAME]",
		Short:   "List the losses, also by the names of other libraries, or explain one",
		Example: "  infbench list losses\n  infbench list losses multi:P+I\n  infbench list losses MarginMSELoss",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return WriteLosses(cmd.OutOrStdout())
			}
			return writeLoss(cmd.OutOrStdout(), args[0])
		},
	}
}

// WriteLosses lists the losses of the paper and of this program, then those of other libraries
// with their settings.
func WriteLosses(w io.Writer) error {
	screen := terminal.On(w)
	var lines []string
	for _, l := range training.KnownLosses() {
		lines = append(lines, training.NameOf(l))
	}
	lines = append(lines, "")
	lines = append(lines, screen.Lines("", "names in other libraries, whose losses keep equal texts of a batch as negatives (false_negatives: {equal: keep}):")...)
	for _, e := range Elsewheres() {
		lines = append(lines, e.lines(screen)...)
	}
	return screen.Put(lines)
}

// writeLoss explains a loss, or the settings for a loss of another library.
func writeLoss(w io.Writer, name string) error {
	screen := terminal.On(w)
	all := Elsewheres()
	if i := slices.IndexFunc(all, func(e Elsewhere) bool { return e.Name == name }); i >= 0 {
		return screen.Put(all[i].lines(screen))
	}
	loss, err := training.ParseLoss(name)
	if err != nil {
		return usage.Error{Err: nearOther(err, name, all)}
	}
	lines := [][]string{{training.NameOf(loss)}}
	if c, ok := loss.(training.Contrastive); ok {
		lines = append(lines, screen.Lines("  ", fmt.Sprintf("loss: %s (without quotes), or %q", c.Plain(), c)), screen.Lines("  ", string(c.Form)+": "+c.Form.About()))
	} else {
		lines = append(lines, screen.Lines("  ", fmt.Sprintf("loss: %s, or %s; a loss of this program", training.NameOf(loss), loss.Name())))
	}
	for _, t := range loss.Needs().Split() {
		lines = append(lines, screen.Lines("  ", t.String()+": "+t.About()))
	}
	return screen.Put(lines...)
}

// nearOther is the error for an unknown loss. If the name is near that of another library's
// loss, it suggests that.
func nearOther(err error, name string, all []Elsewhere) error {
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	if _, ok := nearest.Of(name, names); ok {
		return nearest.Unknown("loss", name, names)
	}
	return err
}

// lines formats the name of the loss and its settings here.
func (e Elsewhere) lines(screen terminal.Screen) []string {
	at := orAny(e.Loss)
	if e.Train != "" {
		at += fmt.Sprintf(", train: {%s}", e.Train)
	}
	if e.Note != "" {
		at += fmt.Sprintf(" (%s)", e.Note)
	}
	return append(screen.Lines("", e.Name), screen.Lines("  ", at)...)
}

func orAny(loss string) string {
	if loss == "" {
		return "any loss"
	}
	return "loss: " + loss
}
