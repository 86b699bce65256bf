package datasets

// obliqBench returns OBLIQ-Bench: queries that describe documents without words from them.
func obliqBench() Suite {
	s := Suite{
		Name: "obliq-bench", About: "OBLIQ-Bench: latent and implicit queries, which no document states",
		Licence:  "CC BY 4.0",
		Citation: "Tchuindjo et al. 2026, OBLIQ-Bench: Exposing Overlooked Bottlenecks in Modern Retrievers with Latent and Implicit Queries, arXiv:2605.06235",
		Protocol: "Rank the full corpus; in math and writing each query's candidates, which are all documents except those of its own source. Judgments are pooled.",
		Measures: []string{"nDCG@10"}, Layout: MTEB,
	}
	for _, subset := range []string{"twitter", "wildchat", "math", "writing", "congress"} {
		s.Parts = append(s.Parts, SuitePart{Task: subset, Repo: "mteb/OBLIQBenchRetrieval", Revision: "b630be644e0dbdc2fa5f712ae8383ebbb9cbee7e", Within: subset})
	}
	return s
}
