package datasets

import "infbench/datasets/format"

// promptriever is Promptriever's training set: MS MARCO queries with and without
// an instruction. A record's HardNegative1 is the first passage written to fit
// the query and not the instruction, HardNegative2 the first mined negative; there
// are no poisoned instructions or queries. Rows without a positive are no records.
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
		fill: func(r *format.Row) (Triplet, bool) {
			t := Triplet{
				ID: r.Text(0), QueryPositive: r.Text(1), InstructionPositive: r.Text(2),
				Positive: firstOf(r.Texts(3)), HardNegative1: firstOf(r.Texts(5)), HardNegative2: firstOf(r.Texts(4)),
			}
			return t, t.Positive != ""
		},
	}.without("instruction_negative", "query_negative")
}

// firstOf is the first text of a list, "" if there is none.
func firstOf(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
