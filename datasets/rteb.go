package datasets

// rtebParts are the open tasks of RTEB in one language, at the commits that mteb pins, with its
// prompts where it has one.
var rtebParts = []pinned{
	{"aila-casedocs", "mteb/AILA_casedocs", "4106e6bcc72e0698d714ea8b101355e3e238431a", ""},
	{"aila-statutes", "mteb/AILA_statutes", "ebfcd844eadd3d667efa3c57fc5c8c87f5c2867e", ""},
	{"legal-summarization", "mteb/legal_summarization", "3bb1a05c66872889662af04c5691c14489cebd72", ""},
	{"legal-quad", "mteb/LegalQuAD", "37aa6cfb01d48960b0f8e3f17d6e3d99bf1ebc3e", ""},
	{"finance-bench", "embedding-benchmark/FinanceBench", "e68478442112cae36b70a216f52cc2777acf0a7e", "Given a financial question, retrieve relevant financial information that best answers the question"},
	{"hc3-finance", "embedding-benchmark/HC3Finance", "fda6fad068f2ed814d99f29dc95dbb28ac586943", "Given a financial question or prompt, retrieve relevant financial content that best addresses the query"},
	{"finqa", "embedding-benchmark/FinQA", "bdd1903ce03153129480bfc14b710e3d612c1efd", "Given a financial numerical reasoning question, retrieve relevant financial data that helps answer the question"},
	{"apps", "CoIR-Retrieval/apps", "f22508f96b7a36c2415181ed8bb76f76e04ae2d5", ""},
	{"ds1000", "embedding-benchmark/DS1000", "25cd4dc8172e799235d83c66439b6b7b8e6583ec", ""},
	{"humaneval", "embedding-benchmark/HumanEval", "ed1f48aca747f10bac146795328e2f03326e7625", ""},
	{"mbpp", "embedding-benchmark/MBPP", "586a1fd6a0c63fdeda3b49c0293559a81c79cdec", ""},
	{"wikisql", "embedding-benchmark/WikiSQL_mteb", "4e099ab42dffd49d72c1472f451371e53343e3d7", ""},
	{"freshstack", "embedding-benchmark/FreshStack_mteb", "7a20df1abe4dafc46f93f9a7965bf9c6968bdf04", ""},
	{"swebench-code", "embedding-benchmark/SWEbenchCodeRetrieval", "440b0e732b8d02c16df2c95352ab6770abe997da", "Given a GitHub issue, retrieve the source code files that need to be modified to resolve the issue."},
	{"chatdoctor", "embedding-benchmark/ChatDoctor_HealthCareMagic", "50c2986fedffa33b38afd5c1752026f8e9e5ed1d", "Given a medical question from a patient, retrieve relevant healthcare information that best answers the question"},
}

// rteb returns the open, monolingual tasks of RTEB.
func rteb() Suite {
	return Suite{
		Name: "rteb", About: "RTEB's open tasks of one language: law, finance, code, health",
		Licence:  "by task: CC BY 4.0, Apache 2.0, MIT, BSD 3-Clause; chatdoctor states none",
		Citation: "Liu et al. 2025, Introducing RTEB: A New Standard for Retrieval Evaluation",
		Protocol: "Rank the full corpus; each task's nDCG@10. RTEB's mean also covers its closed tasks, which nobody can run, and two open multilingual ones that are not here, " +
			"CUREv1 and MIRACLRetrievalHardNegatives. A mean over these tasks is not RTEB's.",
		Measures: []string{"nDCG@10"}, Layout: MTEB, Parts: parts(rtebParts),
	}
}
