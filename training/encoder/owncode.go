package encoder

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// writtenClasses are classes of repositories' own code that are written here.
func writtenClasses() []string {
	return []string{"EncT5ForSequenceClassification", "LlamaBidirectionalModel", "LlamaBidirectionalForSequenceClassification", "NVEmbedModel"}
}

// checkOwnCode refuses a folder whose network is a class of the repository's own code
// (auto_map of config.json), which may attend otherwise than the family's: that code is not
// read, and transformers passes over it, too, unless told to trust it. It runs where somebody
// says how the network attends: config.json by is_causal, the card, or infbench.json.
func (c *Config) checkOwnCode(arch architecture) error {
	if c.Causal != nil || c.Text.attentionKnown {
		return nil
	}
	var auto map[string]json.RawMessage
	if err := json.Unmarshal(c.file["auto_map"], &auto); err != nil {
		return nil // there is none, or no object
	}
	reads := "AutoModel"
	if isClassifier(c.class()) {
		reads = "AutoModelForSequenceClassification"
	}
	for _, key := range slices.Sorted(maps.Keys(auto)) {
		var reference string
		if json.Unmarshal(auto[key], &reference) != nil {
			continue
		}
		name := reference[strings.LastIndexByte(reference, '.')+1:]
		if (key == reads || strings.HasPrefix(key, "AutoModel") && name == c.class()) && !slices.Contains(writtenClasses(), name) {
			return fmt.Errorf(`config.json: auto_map: %s is %s, code of the repository's own that is not read; if %s computes the same, say how it attends: write {"attention": "bidirectional"} or {"attention": "causal"} into %s`,
				key, reference, arch.class(), ownFile)
		}
	}
	return nil
}
