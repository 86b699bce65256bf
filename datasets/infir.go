package datasets

// infIRFields are the columns of InF-IR's records under all the names its
// releases give them: the reference code reads "document" in the MS MARCO sets
// and "document_positive" in the others. That a poisoned instruction fits
// hard_negative_document_1 and a poisoned query hard_negative_document_2 is how
// the reference code pairs them.
var infIRFields = TripletFields{
	ID:                  "id|_id|query_id",
	InstructionPositive: "instruction_positive",
	InstructionNegative: "instruction_negative",
	QueryPositive:       "query_positive",
	QueryNegative:       "query_negative",
	Positive:            "document_positive|document|positive_document",
	HardNegative1:       "hard_negative_document_1|hard_negative_1",
	HardNegative2:       "hard_negative_document_2|hard_negative_2",
}

// infIRSources are InF-IR and its relatives. No revision of theirs was ever
// published; what is fetched first is locked. The reference code's loaders take
// metamath as a split of the default config; that leetcode is one beside it is a
// guess, as no loader found reads it. Of the release its two loaders found show
// five columns and the split msmarco.
func infIRSources() []TrainingSource {
	source := func(name, about, repo, split string) TrainingSource {
		return TrainingSource{
			Name: name, About: about, Repo: Repo{ID: repo}, Split: split, Fields: infIRFields,
			Licence:  "none stated (MS MARCO: non-commercial research)",
			Citation: "Zhuang et al. 2025, Towards Better Instruction Following Retrieval Models, arXiv:2505.21439",
		}
	}
	older := source("inf-ir", "InF-IR: 38,759 MS MARCO records that o3-mini approved", "aarontrinh02/ms_marco_synthetic_data", "train")
	release := source("inf-ir-release", "InF-IR as its paper releases it", "InF-IR/InF-IR", "msmarco")
	release.older, release.unseen = older.title(), []string{infIRFields.QueryNegative, infIRFields.HardNegative2}
	return []TrainingSource{
		older,
		source("inf-ir-unfiltered", "InF-IR before the approval, about 100,000 records", "aarontrinh02/ms_marco_synthetic_data_unfiltered", "train"),
		source("inf-ir-robust04", "records like InF-IR's made from Robust04", "aarontrinh02/robust04-synthetic-filtered", "train"),
		source("inf-ir-leetcode", "records like InF-IR's made from Leetcode problems (the split's name is unconfirmed)", "aarontrinh02/instruction_following_synthetic", "leetcode"),
		source("inf-ir-metamath", "records like InF-IR's made from MetaMath problems", "aarontrinh02/instruction_following_synthetic", "metamath"),
		release,
	}
}
