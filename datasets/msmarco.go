package datasets

import "infbench/datasets/format"

// msMARCO is MS MARCO v2.1 (question answering), the seed of InF-IR: ten passages
// a query. The first selected passage is the positive and the first that is not
// selected the only negative; HardNegative2 and all instructions stay empty. Rows
// without a selected passage are no records.
func msMARCO() TrainingSource {
	return TrainingSource{
		Name: "msmarco", About: "MS MARCO v2.1: queries with ten passages each",
		Repo: Repo{ID: "microsoft/ms_marco"}, Config: "v2.1", Split: "train",
		Licence:  "non-commercial research",
		Citation: "Bajaj et al. 2016, MS MARCO: A Human Generated MAchine Reading COmprehension Dataset, arXiv:1611.09268",
		cols: []format.Column{
			{Name: "query_id", Kind: format.ID},
			{Name: "query"},
			{Name: "passages.passage_text", List: true},
			{Name: "passages.is_selected", Kind: format.Int, List: true},
		},
		fill: func(r *format.Row) (Triplet, bool) {
			t := Triplet{ID: r.Text(0), QueryPositive: r.Text(1)}
			texts, selected := r.Texts(2), r.Ints(3)
			for i := range min(len(texts), len(selected)) {
				switch {
				case selected[i] != 0 && t.Positive == "":
					t.Positive = texts[i]
				case selected[i] == 0 && t.HardNegative1 == "":
					t.HardNegative1 = texts[i]
				}
			}
			return t, t.Positive != ""
		},
	}.without("instruction_positive", "instruction_negative", "query_negative", "hard_negative_document_2")
}
