package encoder

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// writtenClasses are classes of repositories' own code that are implemented here.
func writtenClasses() []string {
	return []string{"EncT5ForSequenceClassification", "LlamaBidirectionalModel", "LlamaBidirectionalForSequenceClassification", "NVEmbedModel"}
}

// checkOwnCode returns an error for a folder whose network is a class of the repository's own
// code (auto_map of config.json), which may attend differently from its family. That code is not
// run, and transformers ignores it, too, unless told to trust it. The folder can be opened if the
// attention is known: from is_causal in config.json, from the card, or from infbench.json.
func (c *Config) checkOwnCode(arch architecture) error {
	if c.Causal != nil || c.Text.attentionKnown {
		return nil
	}
	var auto map[string]json.RawMessage
	if err := json.Unmarshal(c.file["auto_map"], &auto); err != nil {
		return nil // there is none, or it is not an object
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
			return fmt.Errorf(`config.json: auto_map: %s is %s, the repository's own code, which is not run; if %s computes the same, set its attention: write {"attention": "bidirectional"} or {"attention": "causal"} into %s`,
				key, reference, arch.class(), ownFile)
		}
	}
	return nil
}
