package command

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"

	"infbench/reports/gate"
)

// addAccepted adds an acceptance to the text of a file, in place of one of the same number
// of the same system; everything else stays, comments too. An empty text makes a new file.
// Text that gate.ParseAccepted refuses is refused.
func addAccepted(file string, data []byte, a *gate.Accepted) ([]byte, error) {
	added, err := gate.FormatAccepted([]*gate.Accepted{a})
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("# What may be worse than the baseline, by whose word, and until when: infbench gate accept --help.\naccepted: []\n")
	}
	if _, err := gate.ParseAccepted(file, data); err != nil {
		return nil, err
	}
	var have, fresh yaml.Node
	if err := yaml.Unmarshal(data, &have); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := yaml.Unmarshal(added, &fresh); err != nil {
		return nil, err
	}
	putEntry(listOf(&have), listOf(&fresh).Content[0])
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&have); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if _, err := gate.ParseAccepted(file, out.Bytes()); err != nil {
		return nil, fmt.Errorf("%s would not read any more: %w", file, err)
	}
	return out.Bytes(), nil
}

// listOf is the list in a file that was read, or in one without any entry yet.
func listOf(file *yaml.Node) *yaml.Node {
	list := file.Content[0].Content[1] // the one key that there may be
	list.Style = 0
	return list
}

// putEntry sets an entry in the place of one of the same number, or at the end.
func putEntry(list, entry *yaml.Node) {
	for i, have := range list.Content {
		if valueOf(have, "system") == valueOf(entry, "system") && valueOf(have, "number") == valueOf(entry, "number") {
			entry.HeadComment, entry.LineComment, entry.FootComment = have.HeadComment, have.LineComment, have.FootComment
			list.Content[i] = entry
			return
		}
	}
	list.Content = append(list.Content, entry)
}

// valueOf is what an entry says under a key; "" where it says nothing.
func valueOf(entry *yaml.Node, key string) string {
	for i := 0; i+1 < len(entry.Content); i += 2 {
		if entry.Content[i].Value == key {
			return entry.Content[i+1].Value
		}
	}
	return ""
}
