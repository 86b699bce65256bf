package encoder_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// TestCards: every card is valid, and its name and its repository are unique.
func TestCards(t *testing.T) {
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, c := range cards {
		for _, key := range []string{c.Name, c.Repository} {
			key = strings.ToLower(key)
			if other := seen[key]; key != "" && other != "" && other != c.Name {
				t.Errorf("%s and %s are both %q", other, c.Name, key)
			}
			seen[key] = c.Name
		}
		if found, err := encoder.CardOf(strings.ToUpper(c.Name)); err != nil || found.Name != c.Name {
			t.Errorf("CardOf(%s) = %s, %v", strings.ToUpper(c.Name), found.Name, err)
		}
		if c.Revision != "" && len(c.Revision) != 40 {
			t.Errorf("%s: revision %q is not a commit", c.Name, c.Revision)
		}
	}
	_, err = encoder.CardOf("e5-bose-v2")
	wantError(t, err, `did you mean "e5-base-v2"?`)
}

// TestCardsOfPaper: every row of the paper's Tables 2 and 5 has one card.
func TestCardsOfPaper(t *testing.T) {
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	owner := map[string]string{}
	for _, c := range cards {
		for _, row := range c.Paper {
			key := fmt.Sprintf("Table %d, %s", row.Table, row.Model)
			if owner[key] != "" {
				t.Errorf("%s: claimed by %s and %s", key, owner[key], c.Name)
			}
			owner[key] = c.Name
		}
	}
	printed := map[string]bool{}
	for _, name := range []string{"table2.csv", "table5.csv"} {
		f, err := os.Open(filepath.Join(testkit.SharedPath(t, "published", "paper"), name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil || len(rows) < 100 || rows[0][2] != "model" {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for _, row := range rows[1:] {
			printed[fmt.Sprintf("Table %s, %s", row[0], row[2])] = true
		}
	}
	for key := range printed {
		if owner[key] == "" {
			t.Errorf("%s has no card", key)
		}
	}
	for key, name := range owner {
		if !printed[key] {
			t.Errorf("card %s claims %s, which is not there", name, key)
		}
	}
}

// TestCardsRun: there is a network for every card with weights, except if its notes say
// otherwise. A folder of its family accepts the card's settings, and vectors follow the card.
func TestCardsRun(t *testing.T) {
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cards {
		if c.Kind != "encoder" && c.Kind != "reranker" {
			continue
		}
		if !encoder.HasNetwork(c.Architecture) {
			if strings.Contains(c.Notes, "which infbench has no network for") {
				continue
			}
			t.Errorf("%s: no network for architecture %q", c.Name, c.Architecture)
			continue
		}
		if c.Kind == "reranker" { // TestSettingsJudge, TestClassifiers
			continue
		}
		var dir string
		if c.Architecture == "nvembed" {
			dir, _ = randomFolder(t, nvConfig, nvTensors())
		} else {
			dir, _ = withHead(t, c.Architecture, "", map[string]any{"eos_token_id": 5}, []shaped{})
		}
		settings, err := c.Settings()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "infbench.json")
		if err := os.WriteFile(path, settings, 0o644); err != nil {
			t.Fatal(err)
		}
		rewrite(t, path, map[string]any{"max_query_tokens": 32, "max_document_tokens": 32}) // the folder's network is small
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		text := e.Config().Text
		if c.Pooling != "" && text.Pooling != c.Pooling || c.Normalize != nil && text.Normalize != *c.Normalize ||
			c.Prompt != "" && text.Prompt != c.Prompt || text.AppendEOS != c.AppendEOS || text.BothWays != (c.Attention == "bidirectional") {
			t.Errorf("%s: %+v", c.Name, text)
		}
		dst := make([]float32, e.Dim())
		if err := e.EncodeQueries(t.Context(), []string{"w1"}, []string{"w2"}, dst); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

func TestParseCardErrors(t *testing.T) {
	const sound = "name: x\nkind: encoder\nsources: [y]\n"
	if _, err := encoder.ParseCard([]byte(sound)); err != nil {
		t.Errorf("sound: %v", err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "EOF"},
		{sound + "puling: mean\n", "field puling not found"},
		{sound + "---\nname: z\n", "more than one document"},
		{sound + "pooling: meen\n", `did you mean "mean"?`},
		{sound + "prompt_pooling: excluded\n", `did you mean "exclude"?`},
		{sound + "similarity: cosin\n", `did you mean "cosine"?`},
		{sound + "query: \"{query}\"\n", "must hold {instruction} once"},
		{sound + "judge: {prompt: \"{query} {document}\", yes: a, no: a}\n", "two different words"},
		{sound + "max_tokens: -1\n", "max_tokens is -1"},
		{"name: x\nsources: [y]\n", `unknown kind "none"`},
		{"kind: encoder\n", "needs name and sources"},
	} {
		_, err := encoder.ParseCard([]byte(c.text))
		wantError(t, err, c.want)
	}
}

func TestCardUnknown(t *testing.T) {
	card, err := encoder.CardOf("tart-contriever")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(card.Unknown(), " "); got != "licence citation repository max_tokens revision pooling normalize similarity" {
		t.Errorf("unknown: %s", got)
	}
}
