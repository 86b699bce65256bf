package template

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets/chat"
)

// read returns a template of testdata. They are made up of what the templates of
// Qwen 2.5, Llama 3.2, Gemma 2 and Mistral 7B v0.3 do, whose licences they have not.
func read(t *testing.T, name string) *Template {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := New(string(source), "<s>", "</s>")
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

// TestTemplates holds texts to Jinja2 3.1.6 (testdata/expected.py).
func TestTemplates(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Cases []struct {
			Template    string
			Messages    []chat.Message
			Want, Error string
		}
	}
	if err := json.Unmarshal(data, &expected); err != nil || len(expected.Cases) < 20 {
		t.Fatalf("%d cases, %v", len(expected.Cases), err)
	}
	for _, c := range expected.Cases {
		got, err := read(t, c.Template).render(c.Messages, true)
		switch {
		case c.Error != "":
			if err == nil || !strings.HasSuffix(err.Error(), c.Error) {
				t.Errorf("%s of %v: %q, %v, want the error %q", c.Template, c.Messages, got, err, c.Error)
			}
		case err != nil || got != c.Want:
			t.Errorf("%s of %v: %v\n%q, want\n%q", c.Template, c.Messages, err, got, c.Want)
		}
	}
}

// TestPrompt: the plain form, and where the system speaks that has no place.
func TestPrompt(t *testing.T) {
	asked := []chat.Message{{Role: chat.System, Text: "Be brief."}, {Role: chat.User, Text: "Hi"}}
	again := append(asked, chat.Message{Role: chat.Assistant, Text: "Ho"}, chat.Message{Role: chat.User, Text: "What?"})
	for _, c := range []struct {
		name     string
		template *Template
		messages []chat.Message
		want     string
	}{
		{"plain", Plain, asked, "Be brief.\n\nUser: Hi\n\nAssistant:"},
		{"plain, more turns", Plain, again, "Be brief.\n\nUser: Hi\n\nAssistant: Ho\n\nUser: What?\n\nAssistant:"},
		{"no system", read(t, "turns.jinja"), asked, "<s><turn>user\nBe brief.\n\nHi</turn>\n<turn>model\n"},
		{"a system", read(t, "marked.jinja"), asked, "<|start|>system\nBe brief.<|end|>\n<|start|>user\nHi<|end|>\n<|start|>assistant\n"},
	} {
		got, err := c.template.Prompt(c.messages)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestReply: an answer stands after the prompt as the template writes it.
func TestReply(t *testing.T) {
	asked := []chat.Message{{Role: chat.User, Text: "Is it 7?"}}
	for name, want := range map[string]string{"brackets.jinja": " yes", "marked.jinja": "yes", "turns.jinja": "yes"} {
		if got, err := read(t, name).Reply(asked, "yes"); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if got, err := Plain.Reply(asked, "yes"); err != nil || got != " yes" {
		t.Errorf("plain: %q, %v", got, err)
	}
}

// TestStrftime by Python's datetime(2024, 7, 26).strftime.
func TestStrftime(t *testing.T) {
	if got := strftime(theDay, "%d %b %Y, %Y-%m-%d, %A %a %B %y %H:%M:%S 100%%"); got != "26 Jul 2024, 2024-07-26, Friday Fri July 24 00:00:00 100%" {
		t.Error(got)
	}
}
