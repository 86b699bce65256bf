package encoder

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// PromptPooling decides whether the tokens of a prompt count in the mean of states. A prompt is
// everything that a template writes before the query, or before title and text. The network reads
// them in any case.
type PromptPooling string

// The conventions of the models that leave prompts out. All count the tokens of the prompt on its
// own, which may differ from its tokens before a text.
const (
	// IncludePrompt pools all tokens.
	IncludePrompt PromptPooling = "include"
	// ExcludePrompt leaves out the prompt and the special tokens before it
	// (sentence-transformers' include_prompt false; GritLM).
	ExcludePrompt PromptPooling = "exclude"
	// ExcludePromptTrimmed is ExcludePrompt with white space around prompt and text
	// removed, also between them (Instructor).
	ExcludePromptTrimmed PromptPooling = "exclude(trim)"
	// ExcludePromptBare leaves out as many tokens as the prompt has without special ones, counted
	// from the first: if texts begin with a special token, the last token of the prompt is pooled
	// (NV-Embed; sentence-transformers before version 5).
	ExcludePromptBare PromptPooling = "exclude(count=bare)"
)

// promptPoolings lists the names.
func promptPoolings() []string {
	return []string{string(IncludePrompt), string(ExcludePrompt), string(ExcludePromptTrimmed), string(ExcludePromptBare)}
}

// Excludes reports whether the tokens of prompts are left out of the pooling. Then vectors differ
// from those of Embed, which knows no prompts.
func (p PromptPooling) Excludes() bool { return p != "" && p != IncludePrompt }

// checkPrompt returns an error if prompts cannot be left out. Other poolings than the mean take
// one token, or number them in ways that differ between libraries.
func (t *Text) checkPrompt() error {
	if !slices.Contains(promptPoolings(), string(t.Prompt)) {
		return nearest.Unknown("prompt_pooling", string(t.Prompt), promptPoolings())
	}
	if !t.Prompt.Excludes() {
		return nil
	}
	if t.Pooling != Mean {
		return fmt.Errorf("prompt_pooling %s needs mean pooling, not %s", t.Prompt, t.Pooling)
	}
	if t.Interaction.Crossed() || t.Concat == ByToken {
		return errors.New("prompt_pooling with a separately encoded instruction is not supported")
	}
	if t.TruncationSide == Left || t.PaddingSide == Left {
		return errors.New("prompt_pooling with texts that are cut or padded on the left is not supported")
	}
	return nil
}

// queryPrompt is the prompt before a query.
func (t *Text) queryPrompt(instruction string) string {
	template := t.Query
	if instruction == "" {
		template = t.QueryAlone
	}
	return strings.Replace(promptOf(template, "{query}"), "{instruction}", instruction, 1)
}

// documentPrompt is the prompt before title and text.
func (t *Text) documentPrompt(title string) string {
	if title == "" {
		return promptOf(t.DocumentAlone, "{text}")
	}
	return promptOf(promptOf(t.Document, "{text}"), "{title}")
}

// trim removes white space as the prompt pooling requires. The text starts with prompt.
func (t *Text) trim(prompt, text string) string {
	if t.Prompt != ExcludePromptTrimmed {
		return text
	}
	return strings.TrimSpace(prompt) + strings.TrimSpace(text[len(prompt):])
}

// marked returns a sequence whose segment is 1 on the tokens left out of the pooling.
func (t *Tokens) marked(ids []int32, prompt string) sequence {
	s := sequence{ids: ids}
	if !t.config.Text.Prompt.Excludes() || t.tokenizer == nil {
		return s
	}
	s.types = make([]int32, len(ids))
	for i := range min(t.prompt(prompt), len(ids)) {
		s.types[i] = 1
	}
	return s
}

// prompt is the number of tokens to leave out for a prompt.
func (t *Tokens) prompt(prompt string) int {
	mode := t.config.Text.Prompt
	if mode == ExcludePromptTrimmed {
		prompt = strings.TrimSpace(prompt)
	}
	bare := t.tokenizer.Tokenize(prompt)
	if len(bare) == 0 || mode == ExcludePromptBare {
		return len(bare)
	}
	whole := t.tokenizer.Encode(prompt, 0)
	before := 0 // number of special tokens
	for !slices.Equal(whole[before:before+len(bare)], bare) {
		before++
	}
	return before + len(bare)
}
