package strict

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// JSON decodes output of this program, as strictly but without positions and limits. A YAML parser
// could read it too, but takes ten times as long.
func JSON(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return err
	}
	d := Decoder{File: "JSON", visits: -len(data)} // own file: limited by its size
	d.into(node(value), reflect.ValueOf(into).Elem(), "")
	return d.Err()
}

// Line decodes a part of a file, such as a line of JSON Lines, like Object; the caller adds the
// position.
func Line(line []byte, into any) error { return Object("", line, into) }

// node converts a JSON value to the YAML parser's form, without a position.
func node(value any) *yaml.Node {
	scalar := func(tag, text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text} }
	switch v := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, scalar("!!str", key), node(v[key]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			n.Content = append(n.Content, node(item))
		}
		return n
	case string:
		return scalar("!!str", v)
	case bool:
		return scalar("!!bool", strconv.FormatBool(v))
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return scalar("!!float", v.String())
		}
		return scalar("!!int", v.String())
	}
	return scalar("!!null", "null")
}
