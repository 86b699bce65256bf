package datasets

// infIRFields are the columns of InF-IR's records under all names in its releases: the reference
// code reads "document" in the MS MARCO sets and "document_positive" in the others. The reference
// code also defines the pairing: hard_negative_document_1 answers a poisoned instruction, and
// hard_negative_document_2 a poisoned query.
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

// infIRSources are InF-IR and its relatives. None of their revisions was ever published; the first
// fetched revision is locked. The reference code's loaders read metamath as a split of the default
// config. That leetcode is another such split is a guess, as no known loader reads it. The two
// known loaders of the release show five columns and the split msmarco.
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
