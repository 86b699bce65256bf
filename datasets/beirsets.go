package datasets

import (
	"fmt"
	"strings"
)

// beirSets are the public data sets of BEIR, and MS MARCO, its models' training data, at the
// commits that mteb pins and with the licences that it states. The other sets are in beirClosed.
var beirSets = []struct{ name, licence, repo, revision, split string }{
	{"trec-covid", "none stated", "mteb/trec-covid", "bb9466bac8153a0349341eb1b22e06409e78ef4e", ""},
	{"nfcorpus", "none stated", "mteb/nfcorpus", "ec0fa4fe99da2ff19ca1214b7966684033a58814", ""},
	{"nq", "CC BY-NC-SA 3.0", "mteb/nq", "b774495ed302d8c44a3a7ea25c90dbce03968f31", ""},
	{"hotpotqa", "CC BY-SA 4.0", "mteb/hotpotqa", "ab518f4d6fcca38d87c25209f94beba119d02014", ""},
	{"fiqa", "none stated", "mteb/fiqa", "27a168819829fe9bcd655c2df245fb19452e8e06", ""},
	{"arguana", "CC BY-SA 4.0", "mteb/arguana", "c22ab2a51041ffd869aaddef7af8d8215647e41a", ""},
	{"touche2020", "CC BY-SA 4.0", "mteb/touche2020", "a34f9a33db75fa0cbb21bb5cfc3dae8dc8bec93f", ""},
	{"quora", "none stated", "mteb/quora", "e4e08e0b7dbe3c8700f0daef558ff32256715259", ""},
	{"dbpedia", "MIT", "mteb/dbpedia", "c0f706b76e590d620bd6618b3ca8efdd34e2d659", ""},
	{"scidocs", "CC BY-SA 4.0", "mteb/scidocs", "f8c2fcf00f625baaa80f62ec5bd9e1fff3b8ae88", ""},
	{"fever", "CC BY-NC-SA 3.0", "mteb/fever", "bea83ef9e8fb933d90a2f1d5515737465d613e12", ""},
	{"climate-fever", "CC BY-SA 4.0", "mteb/climate-fever", "47f2ac6acb640fc46020b02a5b59fdda04d39380", ""},
	{"scifact", "CC BY-NC 4.0", "mteb/scifact", "d56462d0e63a25450459c4f213e49ffdb866f7f9", ""},
	{"msmarco", "Microsoft Research, non-commercial", "mteb/msmarco", "c5a29a104738b98a9e76336939199e264163d4a0", "dev"},
}

// beirClosed are the sets of BEIR that must not be redistributed, with the source of each.
var beirClosed = map[string]string{
	"bioasq":    "PubMed articles of the BioASQ challenge, for its participants (bioasq.org)",
	"robust04":  "TREC disks 4 and 5, under an agreement with NIST",
	"signal1m":  "tweets of the Signal-1M collection, which its authors may not pass on",
	"trec-news": "the Washington Post collection, under an agreement with NIST",
}

// NotPublic returns an error if the files of the named benchmark must not be redistributed; the
// error names their source.
func NotPublic(name string) error {
	set, isBEIR := strings.CutPrefix(name, "beir-")
	if whose := beirClosed[set]; isBEIR && whose != "" {
		return fmt.Errorf("benchmark %s is not public: %s; if you have the files in BEIR layout, use: infbench data import DIR --name my-%s", name, whose, set)
	}
	return nil
}

// cqaDupStack are the forums of CQADupStack, which BEIR averages into one data set.
var cqaDupStack = []pinned{
	{"android", "mteb/CQADupstackAndroidRetrieval", "9be4c0e46342e8e3aff577a89b9a1ec9bc6b4af3", ""},
	{"english", "mteb/cqadupstack-english", "ad9991cb51e31e31e430383c75ffb2885547b5f0", ""},
	{"gaming", "mteb/cqadupstack-gaming", "4885aa143210c98657558c04aaf3dc47cfb54340", ""},
	{"gis", "mteb/cqadupstack-gis", "5003b3064772da1887988e05400cf3806fe491f2", ""},
	{"mathematica", "mteb/cqadupstack-mathematica", "90fceea13679c63fe563ded68f3b6f06e50061de", ""},
	{"physics", "mteb/cqadupstack-physics", "79531abbd1fb92d06c6d6315a0cbbbf5bb247ea4", ""},
	{"programmers", "mteb/cqadupstack-programmers", "6184bc1440d2dbc7612be22b50686b8826d22b32", ""},
	{"stats", "mteb/cqadupstack-stats", "65ac3a16b8e91f9cee4c9828cc7c335575432a2a", ""},
	{"tex", "mteb/cqadupstack-tex", "46989137a86843e03a6195de44b09deda022eec7", ""},
	{"unix", "mteb/cqadupstack-unix", "6c6430d3a6d36f8d2a829195bc5dc94d7e063e53", ""},
	{"webmasters", "mteb/cqadupstack-webmasters", "160c094312a0e1facb97e55eeddb698c0abe3571", ""},
	{"wordpress", "mteb/cqadupstack-wordpress", "4ffe81d471b1924886b33c7567bfb200e9eec5c4", ""},
}

// beir returns the data sets of BEIR as separate benchmarks: few users need all of their 50 million
// documents.
func beir() []Suite {
	var all []Suite
	for _, set := range beirSets {
		all = append(all, beirSuite(set.name, set.licence, SuitePart{Task: set.name, Repo: set.repo, Revision: set.revision, Split: set.split}))
	}
	forums := beirSuite("cqadupstack", "Apache 2.0", parts(cqaDupStack)...)
	forums.Protocol += " BEIR's number is the unweighted mean of the twelve forums."
	return append(all, forums)
}

func beirSuite(name, licence string, parts ...SuitePart) Suite {
	return Suite{
		Name: "beir-" + name, About: "BEIR's " + name,
		Licence:  licence,
		Citation: "Thakur et al. 2021, BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models, arXiv:2104.08663",
		Protocol: "Rank all documents except the one with the query's own ID, which BEIR's evaluator drops. Title and text are joined by a space. The judgments are those of the test split, for msmarco of dev.",
		Measures: []string{"nDCG@10", "R@100"}, Layout: MTEB, Parts: parts, DropSelf: true,
	}
}
