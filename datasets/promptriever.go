package datasets

import (
	"slices"

	"infbench/datasets/format"
)

// promptriever returns Promptriever's training set: MS MARCO queries with and without an
// instruction. Its records have one row. The negatives are the passages written to answer the query
// but not the instruction, then the mined ones. It has no poisoned instructions or queries. Lines
// without a positive are skipped.
func promptriever() TrainingSource {
	const passageText = ".text"
	return TrainingSource{
		Name: "promptriever", About: "Promptriever: MS MARCO with instructions and instruction negatives",
		Repo: Repo{ID: "samaya-ai/msmarco-w-instructions"}, Split: "train",
		Licence:  "none stated (MS MARCO: non-commercial research)",
		Citation: "Weller et al. 2024, Promptriever: Instruction-Trained Retrievers Can Be Prompted Like Language Models, arXiv:2409.11136",
		cols: []format.Column{
			{Name: "query_id", Kind: format.ID},
			{Name: "only_query|query"},
			{Name: "only_instruction", Optional: true},
			{Name: "positive_passages" + passageText, List: true},
			{Name: "negative_passages" + passageText, List: true, Optional: true},
			{Name: "new_negatives" + passageText, List: true, Optional: true},
		},
		fill: func(r *format.Row) (Record, bool) {
			row := Row{Query: r.Text(1), Instruction: r.Text(2), Passage: firstOf(r.Texts(3))}
			row.Negatives = slices.Concat(r.Texts(5), r.Texts(4))
			return Record{r.Text(0), []Row{row}}, row.Passage != ""
		},
	}.without(instructionNegative, queryNegative)
}

// firstOf returns the first text of a list, "" if there is none.
func firstOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
