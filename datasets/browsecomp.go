package datasets

// browseCompPlus returns BrowseComp-Plus: research questions over a fixed corpus of web pages. Its
// authors obfuscate the questions, which carry a canary, to keep them out of training data; mteb's
// copy, used here, is plain.
func browseCompPlus() Suite {
	s := Suite{
		Name: "browsecomp-plus", About: "BrowseComp-Plus: research questions of several hops over a fixed corpus of 100,195 web pages",
		Licence:  "MIT (the pages are third parties': do not redistribute)",
		Citation: "Chen et al. 2025, BrowseComp-Plus: A More Fair and Transparent Evaluation Benchmark of Deep-Research Agent, arXiv:2508.06600",
		Protocol: "Rank the full corpus by the full question, 1,000 documents deep, documents cut to 4,096 tokens, once against evidence and once against gold documents; " +
			"a question without a ranking counts 0. Its texts are private: outputs have IDs and numbers only.",
		Measures: []string{"nDCG@10", "R@5", "R@100", "R@1000"}, Layout: MTEB, Private: true,
	}
	for _, p := range [][2]string{{"evidence", "gold_and_evidence"}, {"gold", "gold_only"}} {
		s.Parts = append(s.Parts, SuitePart{Task: p[0], Repo: "mteb/BrowseCompPlusRetrieval", Revision: "16df5da3ad2796a72cdff1704764b90383b7c209", Within: p[1],
			Instruction: "Given a web search query, retrieve relevant passages that answer the query"})
	}
	return s
}
