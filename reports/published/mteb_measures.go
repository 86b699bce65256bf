package published

import (
	"strings"
)

// uncut are keys without a cutoff.
var uncut = map[string]string{"p-MRR": "p-MRR", "accuracy": "accuracy", "mrr": "RR", "map": "AP", "ndcg": "nDCG", "paired_accuracy": "PairedAccuracy"}

// mtebMeasure translates a key: ndcg_at_5 is nDCG@5, map_at_1000 is AP@1000. Files that others made
// for MTEB, such as those of MAIR, have NDCG@10 for ndcg_at_10. ok is false for keys that are not
// measures of effectiveness.
func mtebMeasure(key string) (string, bool) {
	if name, ok := uncut[key]; ok {
		return name, true
	}
	family, cut, ok := strings.Cut(strings.ToLower(strings.Replace(key, "@", "_at_", 1)), "_at_")
	if !ok || cut == "" || strings.Trim(cut, "0123456789") != "" {
		return "", false
	}
	name, ok := map[string]string{
		"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P", "mrr": "RR", "hit_rate": "Success", "robustness": "Robustness",
	}[family]
	return name + "@" + cut, ok
}
