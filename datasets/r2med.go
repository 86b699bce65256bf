package datasets

// r2medParts are the eight tasks of R2MED, at the commits that mteb pins, with the authors'
// instructions for e5 (src/instrcution.py).
var r2medParts = []pinned{
	{"biology", "R2MED/Biology", "8b9fec2db9eda4b5742d03732213fbaee8169556", "Given a Biology post, retrieve relevant passages that help answer the post"},
	{"bioinformatics", "R2MED/Bioinformatics", "6021fce366892cbfd7837fa85a4128ea93315e18", "Given a Bioinformatics post, retrieve relevant passages that help answer the post"},
	{"medical-sciences", "R2MED/Medical-Sciences", "1b48911514c80bf9182222d99752ad75e23b4b47", "Given a Medical Science post, retrieve relevant passages that help answer the post"},
	{"medxpertqa-exam", "R2MED/MedXpertQA-Exam", "b457ea43db9ae5db74c3a3e5be0a213d0f85ac3a", "Given a Medical Exam, retrieve relevant passages that help answer the exam"},
	{"medqa-diag", "R2MED/MedQA-Diag", "78b585990279cc01a493f876c1b0cf09557fba57", "Given a Medical Exam, retrieve relevant passages that help answer the exam"},
	{"pmc-treatment", "R2MED/PMC-Treatment", "53c489a44a3664ba352c07550b72b4525a5968d5", "Given a Clinical Case, retrieve relevant passages that help answer the case"},
	{"pmc-clinical", "R2MED/PMC-Clinical", "812829522f7eaa407ef82b96717be85788a50f7e", "Given a Clinical Case, retrieve similar cases that help diagnose the case"},
	{"iiyi-clinical", "R2MED/IIYi-Clinical", "974abbc9bc281c3169180a6aa5d7586cfd2f5877", "Given a Clinical Case, retrieve similar cases that help diagnose the case"},
}

// r2med returns R2MED: medical retrieval that requires reasoning.
func r2med() Suite {
	return Suite{
		Name: "r2med", About: "R2MED: eight medical tasks in which finding the documents takes reasoning",
		Licence:  "CC BY 4.0",
		Citation: "Li et al. 2025, R2MED: A Benchmark for Reasoning-Driven Medical Retrieval, arXiv:2505.14558",
		Protocol: "Rank all documents except one with the query's own ID, which BEIR's evaluator drops. The table is the unweighted mean of the eight tasks' nDCG@10. Instructions are the authors' for e5, SFR and NV-Embed; " +
			"with other instructions single tasks differ by up to 9 points. The queries of biology overlap those of BRIGHT's: a mean over both suites counts them twice.",
		Measures: []string{"nDCG@10"}, Layout: MTEB, Parts: parts(r2medParts), DropSelf: true,
	}
}
