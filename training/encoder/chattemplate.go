package encoder

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// templateFile holds a chat template of transformers, in Jinja. Older versions wrote it into
// tokenizer_config.json.
const templateFile = "chat_template.jinja"

// chatHead begins the one form of chat template that is read: it takes the contents of a query, a
// document and a system message, which sentence-transformers makes of a pair and an instruction.
// The rest of the template is the text around them. infbench does not run templates: it compares
// them with this text.
const chatHead = `{%- set ns = namespace(q='', d='', s='') -%}{%- for m in messages -%}{%- if m.role == 'query' -%}{%- set ns.q = m.content -%}{%- elif m.role == 'document' -%}{%- set ns.d = m.content -%}{%- elif m.role == 'system' -%}{%- set ns.s = m.content -%}{%- endif -%}{%- endfor -%}`

// chatSlots are the expressions that stand for the contents, with the places of a judge's prompt.
func chatSlots() [][2]string {
	return [][2]string{{"{{ ns.q }}", queryPlace}, {"{{ ns.d }}", documentPlace}, {"{{ ns.s }}", instructionPlace}}
}

// chatTag matches what Jinja does not write as it is.
var chatTag = regexp.MustCompile(`(?s)\{[{%#].*?[}%#]\}|\{[{%#].*`)

// readChatTemplate returns the chat template in the network's folder as a judge's prompt.
func readChatTemplate(root string) (string, error) {
	text, name := "", templateFile
	found, err := readFile(root, templateFile, func(_ string, data []byte) error {
		text = string(data)
		return nil
	})
	if err == nil && !found {
		var file struct {
			Template any `json:"chat_template"`
		}
		name = tokenizerFile + ": chat_template"
		_, err = readJSON(root, tokenizerFile, &file)
		text, found = file.Template.(string)
		if !found && file.Template != nil {
			text, found = fmt.Sprint(file.Template), true // several by name
		}
	}
	if err != nil {
		return "", err
	}
	if !found {
		return "", fmt.Errorf("%s is missing: %s", filepath.Join(root, templateFile), writeJudge)
	}
	prompt, err := promptOfTemplate(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", filepath.Join(root, name), err, writeJudge)
	}
	return prompt, nil
}

// writeJudge is the advice for folders whose chat template is not read.
const writeJudge = `write {"judge": {"prompt": "... {query} ... {document} ..."}} into ` + ownFile + `, with the complete text that the model reads`

// promptOfTemplate returns a template of the known form as a judge's prompt.
func promptOfTemplate(text string) (string, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	rest, ok := strings.CutPrefix(text, chatHead)
	if !ok {
		return "", errors.New("the chat template is not of the form that infbench reads, and there is no template engine")
	}
	rest = strings.TrimLeftFunc(strings.TrimSuffix(rest, "\n"), unicode.IsSpace) // Jinja drops the last line break, and "-%}" the space after it
	for _, slot := range chatSlots() {
		expression, place := slot[0], slot[1]
		if strings.Contains(rest, place) {
			return "", fmt.Errorf("the chat template holds the text %s, which has a meaning in a judge's prompt", place)
		}
		if n := strings.Count(rest, expression); n > 1 || n == 0 && place != instructionPlace {
			return "", fmt.Errorf("the chat template holds %s %d times, want once", expression, n)
		}
		rest = strings.Replace(rest, expression, place, 1)
	}
	if tag := chatTag.FindString(rest); tag != "" {
		return "", fmt.Errorf("the chat template holds %q in addition to its three contents, and there is no template engine", tag)
	}
	return rest, nil
}
