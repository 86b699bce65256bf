package published

import (
	"regexp"
	"slices"
	"strings"
)

// splitTasks are MTEB's retrieval and reranking tasks that are evaluated on a split that other
// tasks train or tune on (eval_splits of mteb 2.26.24). BrightRetrieval has the split of its
// benchmark, since its long documents are a separate task.
var splitTasks = map[string]string{
	"train": `CodeEditSearchRetrieval DanFEVER DanFeverRetrieval FlickrAudioToImageRetrieval FlickrImageToAudioRetrieval LocBenchRR MKQARetrieval
		MultiSWEbenchRR NanoArguAnaRetrieval NanoClimateFeverRetrieval NanoDBPediaRetrieval NanoFEVERRetrieval NanoFiQA2018Retrieval
		NanoHotpotQARetrieval NanoMSMARCORetrieval NanoNFCorpusRetrieval NanoNQRetrieval NanoQuoraRetrieval NanoSCIDOCSRetrieval
		NanoSciFactRetrieval NanoTouche2020Retrieval SWEPolyBenchRR SWEbenchLiteRR SWEbenchMultilingualRR SWEbenchVerifiedRR
		TwitterHjerneRetrieval VDRMultilingualRetrieval VisRAGRetArxivQA VisRAGRetChartQA VisRAGRetInfoVQA VisRAGRetMPDocVQA
		VisRAGRetPlotQA VisRAGRetSlideVQA`,
	"dev": `CmedqaRetrieval CovidRetrieval DuRetrieval EcomRetrieval HagridRetrieval Ko-StrategyQA MIRACLReranking MIRACLRetrieval
		MIRACLRetrievalHardNegatives MIRACLRetrievalHardNegatives.v2 MMarcoReranking MMarcoRetrieval MMarcoRetrievalMultilingual MSMARCO
		MSMARCO-Fa MSMARCO-VN MSMARCOv2 MedicalRetrieval NanoMSMARCO-VN T2Reranking T2Retrieval VideoRetrieval mMARCO-NL`,
	"validation": "JaQuADRetrieval LEMBSummScreenFDRetrieval TopiOCQA TopiOCQAHardNegatives VieQuADRetrieval XQuADRetrieval",
	"standard":   "BrightRetrieval",
}

// Evaluates reports whether a task of MTEB's is evaluated on a split. Tasks that are not in
// splitTasks are evaluated on each split that is not for training or tuning; no split is accepted
// too. Tasks may be evaluated on several splits, such as LEMBNeedleRetrieval on test_256 to
// test_32768.
func Evaluates(task, split string) bool {
	for of, tasks := range splitTasks {
		if slices.Contains(strings.Fields(tasks), task) {
			return split == of || split == ""
		}
	}
	return !developing.MatchString(split)
}

// developing matches the splits for training or tuning.
var developing = regexp.MustCompile(`^(?i:train|training|dev|development|val|valid|validation)[-_]?[0-9]*$`)
