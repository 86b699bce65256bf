package encoder

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/training/tokenizer"
)

// The modules and tasks of sentence-transformers' cross-encoders since 5.4.
const (
	logitModule  = "LogitScore"
	pairModel    = "CrossEncoder" // the model_type of their folders
	classifyTask = "sequence-classification"
	generateTask = "text-generation"
)

// pairLayout returns the layout of a cross-encoder's folder in the format of
// sentence-transformers since 5.4: one Transformer with a classifier, or one with a language
// model and LogitScore. ok is false for other folders.
func pairLayout(dir string, modules []module) (l layout, ok bool, err error) {
	var config struct {
		ModelType string `json:"model_type"`
	}
	if _, err := readJSON(dir, promptsFile, &config); err != nil {
		return layout{}, false, err
	}
	var kinds []string
	for _, m := range modules {
		kinds = append(kinds, m.kind())
	}
	if len(modules) == 0 || config.ModelType != pairModel && !slices.Contains(kinds, logitModule) && len(kinds) > 1 {
		return layout{}, false, nil
	}
	transformer, err := readTransformer(filepath.Join(dir, modules[0].Path), "")
	if err != nil {
		return layout{}, false, err
	}
	l = layout{modules: true, network: modules[0].Path, scores: true}
	task := classifyTask
	switch {
	case slices.Equal(kinds, []string{"Transformer", logitModule}):
		l.logits, task = modules[1].Path, generateTask
	case !slices.Equal(kinds, []string{"Transformer"}):
		if config.ModelType != pairModel && !slices.Contains(kinds, logitModule) {
			return layout{}, false, nil
		}
		return layout{}, false, fmt.Errorf("%s: modules %q of a cross-encoder are not supported (known: Transformer, or Transformer then %s)", modulesFile, kinds, logitModule)
	case config.ModelType != pairModel && transformer.Task != classifyTask:
		return layout{}, false, nil
	}
	if transformer.Task != "" && transformer.Task != task {
		return layout{}, false, fmt.Errorf("%s: transformer_task %q is not supported for a cross-encoder of %q (known: %s)", transformer.name, transformer.Task, kinds, task)
	}
	return l, true, nil
}

// IsPairModel reports whether a folder has the layout of sentence-transformers' cross-encoders
// since 5.4. OpenCrossEncoder or Open reports errors in its files.
func IsPairModel(dir string) bool {
	where, err := readLayout(dir)
	return err == nil && where.scores
}

// readPairPrompt puts the default prompt before queries: sentence-transformers' predict uses no
// other, whatever names prompts have. For a language model it is the instruction.
func (t *Text) readPairPrompt(dir string, where layout) error {
	if where.logits != "" {
		return nil
	}
	prompt, err := defaultPrompt(dir)
	if err == nil && prompt != "" {
		t.promptQueries(prompt)
	}
	return err
}

// activationOf names the function that sentence-transformers' predict applies to a cross-encoder's
// logits, such as Identity or Sigmoid, in the library's order of files (cross_encoder/model.py,
// 6.2). A name outside torch is not followed there without the repository's code. Documents are
// ordered by logits here, whatever the function.
func activationOf(dir string, where layout, labels int) (string, error) {
	var library struct {
		Name *string `json:"activation_fn"`
	}
	var config struct {
		Now   map[string]any `json:"sentence_transformers"`
		Older *string        `json:"sbert_ce_default_activation_function"`
	}
	_, err := readJSON(filepath.Join(dir, where.network), "config.json", &config)
	if where.modules {
		_, libraryErr := readJSON(dir, promptsFile, &library)
		err = errors.Join(err, libraryErr)
	}
	next := config.Older
	if value, ok := config.Now["activation_fn"]; ok {
		name, _ := value.(string)
		next = &name
	}
	for _, name := range []*string{library.Name, next} {
		if name != nil && strings.HasPrefix(*name, "torch.") {
			return (*name)[strings.LastIndexByte(*name, '.')+1:], err
		}
	}
	if labels == 1 {
		return "Sigmoid", err
	}
	return "Identity", err
}

// defaultPrompt is a cross-encoder's default prompt; "" if there is none.
func defaultPrompt(dir string) (string, error) {
	var file struct {
		Prompts map[string]string `json:"prompts"`
		Default *string           `json:"default_prompt_name"`
	}
	if _, err := readJSON(dir, promptsFile, &file); err != nil || file.Default == nil {
		return "", err
	}
	prompt, ok := file.Prompts[*file.Default]
	if !ok {
		return "", fmt.Errorf("%s: default_prompt_name: %w", promptsFile, nearest.Unknown("prompt", *file.Default, slices.Sorted(maps.Keys(file.Prompts))))
	}
	return prompt, nil
}

// logitScore holds the words of LogitScore: the score is the difference of their logits, or the
// logit of the first if there is no second.
type logitScore struct {
	Yes *int32 `json:"true_token_id"`
	No  *int32 `json:"false_token_id"`
}

// readLogitScore reads LogitScore's config.json.
func readLogitScore(dir string) (logitScore, error) {
	var s logitScore
	found, err := readJSON(dir, "config.json", &s)
	switch {
	case err != nil:
		return s, err
	case !found:
		return s, noModuleConfig(dir, modulesFile)
	case s.Yes == nil:
		return s, fmt.Errorf("%s: true_token_id is missing", filepath.Join(dir, "config.json"))
	}
	return s, nil
}

// complete completes a judge with the tokens of LogitScore. Other words in the judge are an error,
// because the scores would be those of another model.
func (s logitScore) complete(j Judge, tok *tokenizer.Tokenizer) (Judge, error) {
	if tok == nil {
		return j, errNoTokenizer
	}
	var errs []error
	for _, word := range []struct {
		key, name string
		id        *int32
		value     *string
	}{{"true_token_id", "yes", s.Yes, &j.Yes}, {"false_token_id", "no", s.No, &j.No}} {
		if word.id == nil {
			if j.OneWord = true; *word.value != "" {
				errs = append(errs, fmt.Errorf("%s: %s is null, but the judge section says %s: %q: remove it there", logitModule, word.key, word.name, *word.value))
			}
			continue
		}
		token := tok.Token(*word.id)
		switch *word.value = cmp.Or(*word.value, token); {
		case token == "":
			errs = append(errs, fmt.Errorf("%s: %s %d is not a token of the vocabulary", logitModule, word.key, *word.id))
		case token != *word.value:
			errs = append(errs, fmt.Errorf("%s: %s %d is the token %q, but the judge section says %s: %q: remove it there", logitModule, word.key, *word.id, token, word.name, *word.value))
		}
	}
	return j, errors.Join(errs...)
}

// judgeOf is the judge of a language model's folder: that of card or infbench.json, completed from
// the folder's LogitScore and chat template if it has them.
func (e *Encoder) judgeOf(dir string, where layout) (Judge, error) {
	j := e.config.Text.Judge
	if where.logits == "" {
		return j, nil
	}
	s, err := readLogitScore(filepath.Join(dir, where.logits))
	if err != nil {
		return j, err
	}
	if j.Prompt == "" {
		if j.Prompt, err = readChatTemplate(filepath.Join(dir, where.network)); err != nil {
			return j, err
		}
		if strings.Contains(j.Prompt, instructionPlace) && j.Instruction == "" {
			if j.Instruction, err = defaultPrompt(dir); err != nil {
				return j, err
			}
		}
	}
	return s.complete(j, e.tokens.tokenizer)
}
