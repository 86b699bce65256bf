package command

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"

	"infbench/reports/gate"
)

// addAccepted adds an acceptance to the text of a file, or replaces the entry of the same
// number of the same system; everything else stays, including comments. An empty text makes a
// new file. It refuses text that gate.ParseAccepted refuses.
func addAccepted(file string, data []byte, a *gate.Accepted) ([]byte, error) {
	added, err := gate.FormatAccepted([]*gate.Accepted{a})
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("# Changes that may be worse than the baseline, with the person who accepted them and the last day: infbench gate accept --help.\naccepted: []\n")
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
		return nil, fmt.Errorf("%s would no longer be readable: %w", file, err)
	}
	return out.Bytes(), nil
}

// listOf returns the list in a parsed file, or in a file without entries.
func listOf(file *yaml.Node) *yaml.Node {
	list := file.Content[0].Content[1] // the only key
	list.Style = 0
	return list
}

// putEntry replaces the entry of the same number, or appends the entry.
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

// valueOf returns an entry's value under a key; "" if it has none.
func valueOf(entry *yaml.Node, key string) string {
	for i := 0; i+1 < len(entry.Content); i += 2 {
		if entry.Content[i].Value == key {
			return entry.Content[i+1].Value
		}
	}
	return ""
}
