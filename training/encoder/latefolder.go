package encoder

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// artifactFile is the file of settings that Stanford's ColBERT writes.
const artifactFile = "artifact.metadata"

// lateFolder holds the contents of the files of a late-interaction model.
type lateFolder struct {
	lateSettings
	text        Text
	network     string // folder of the network's files
	dense       string // folder of the projection; "": there is none, or it is in the network's weights
	inside      bool   // the projection is in the network's weights
	transformer transformerFile
}

// punctuation is Python's string.punctuation, which late interaction skips in documents.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// The usual lengths and prefixes of PyLate.
const (
	lateQueryLength    = 32
	lateDocumentLength = 180
	lateQueryPrefix    = "[Q] "
	lateDocumentPrefix = "[D] "
)

// lateConfig is the part of config_sentence_transformers.json on late interaction: PyLate's keys,
// and model_type and prompts of sentence-transformers 6.
type lateConfig struct {
	ModelType      string            `json:"model_type"`
	Similarity     *string           `json:"similarity_fn_name"`
	Prompts        map[string]string `json:"prompts"`
	Default        *string           `json:"default_prompt_name"`
	QueryPrefix    *string           `json:"query_prefix"`
	DocumentPrefix *string           `json:"document_prefix"`
	QueryLength    *int              `json:"query_length"`
	DocumentLength *int              `json:"document_length"`
	Attend         bool              `json:"attend_to_expansion_tokens"`
	Expand         *bool             `json:"do_query_expansion"`
	Skip           *[]string         `json:"skiplist_words"`
}

// IsMultiVector reports whether a folder holds a late-interaction model, judging by its files.
// OpenMultiVector or Open reports errors in the files.
func IsMultiVector(dir string) bool {
	var modules []module
	if found, err := readJSON(dir, modulesFile, &modules); err != nil || found {
		return err == nil && isLateModules(dir, modules)
	}
	var config struct{ Architectures []string }
	if _, err := readJSON(dir, "config.json", &config); err != nil {
		return false
	}
	_, err := disk.Stat(filepath.Join(dir, artifactFile))
	return err == nil || slices.Contains(config.Architectures, stanfordClass)
}

// stanfordClass is the class name that Stanford's ColBERT gives a model.
const stanfordClass = "HF_ColBERT"

func isLateModules(dir string, modules []module) bool {
	var config lateConfig
	if _, err := readJSON(dir, promptsFile, &config); err == nil && slices.Contains([]string{"ColBERT", "MultiVectorEncoder"}, config.ModelType) {
		return true
	}
	return slices.ContainsFunc(modules, func(m module) bool {
		return isPyLate(m) || m.kind() == "MultiVectorMask"
	})
}

// isPyLate reports whether a module is PyLate's own.
func isPyLate(m module) bool { return strings.HasPrefix(m.Type, "pylate.") }

// readLateFolder reads the files of a late-interaction model.
func readLateFolder(dir string) (lateFolder, error) {
	var modules []module
	found, err := readJSON(dir, modulesFile, &modules)
	if err != nil {
		return lateFolder{}, err
	}
	var f lateFolder
	switch {
	case !found:
		f, err = readStanford(dir)
	default:
		f, err = readLateModules(dir, modules)
	}
	if err != nil {
		return lateFolder{}, err
	}
	if f.fill == "" {
		if f.fill, err = specialToken(filepath.Join(dir, f.network), "mask_token", "[MASK]"); err != nil {
			return lateFolder{}, err
		}
	}
	f.attention = cmp.Or(f.transformer.Networked.Attention, f.transformer.Network.Attention)
	f.text.lower, f.lower = f.transformer.Lower && !f.pylate, f.transformer.Lower && f.pylate
	setIf(&f.text.most, f.transformer.most)
	if f.transformer.Max != nil {
		f.text.most = *f.transformer.Max
	}
	filled := f.expandTo > 0 && f.expandTo == f.text.MaxQuery
	if err := f.text.readOwnTemplates(dir); err != nil {
		return lateFolder{}, err
	}
	if filled { // to any length of queries
		f.expandTo = f.text.MaxQuery
	}
	return f, nil
}

// bodyIn returns the network of the folder dir.
func (f *lateFolder) bodyIn(dir string) body {
	b := body{root: filepath.Join(dir, f.network), text: f.text}
	if f.inside {
		b.choose = projectionHeadOf
	}
	return b
}

// readStanford reads a folder with one network whose weights hold the projection.
func readStanford(dir string) (lateFolder, error) {
	file := struct {
		QueryToken    string `json:"query_token_id"`
		DocumentToken string `json:"doc_token_id"`
		Query         int    `json:"query_maxlen"`
		Document      int    `json:"doc_maxlen"`
		Similarity    string `json:"similarity"`
		Interaction   string `json:"interaction"`
		Attend        bool   `json:"attend_to_mask_tokens"`
		Punctuation   bool   `json:"mask_punctuation"`
	}{"[unused0]", "[unused1]", lateQueryLength, lateDocumentLength, "cosine", "colbert", false, true}
	if _, err := readJSON(dir, artifactFile, &file); err != nil {
		return lateFolder{}, err
	}
	if err := errors.Join(
		nearest.OneOf("similarity", file.Similarity, "cosine"),
		nearest.OneOf("interaction", file.Interaction, "colbert")); err != nil {
		return lateFolder{}, fmt.Errorf("%s: %w", artifactFile, err)
	}
	transformer, err := readTransformer(dir, "")
	if err != nil {
		return lateFolder{}, err
	}
	f := lateFolder{inside: true, transformer: transformer, text: Text{MaxQuery: file.Query, MaxDocument: file.Document}}
	f.queryPrefix, f.documentPrefix = file.QueryToken, file.DocumentToken
	f.expandTo, f.fixed, f.attend, f.normalize = file.Query, true, file.Attend, true
	if file.Punctuation {
		f.skip = strings.Split(punctuation, "")
	}
	return f, checkLengths(artifactFile, file.Query, file.Document)
}

// checkLengths requires room for a word between prefix and special tokens.
func checkLengths(name string, lengths ...int) error {
	for _, n := range lengths {
		if n < 4 || n > 1<<20 {
			return fmt.Errorf("%s: a length of %d tokens: want at least 4", name, n)
		}
	}
	return nil
}

// readLateModules reads a folder with modules.json.
func readLateModules(dir string, modules []module) (lateFolder, error) {
	var f lateFolder
	masks, pylate := "", false
	for i, m := range modules {
		if m.Path != "" && !filepath.IsLocal(m.Path) {
			return f, fmt.Errorf("%s: path %q is outside the folder", modulesFile, m.Path)
		}
		kind := m.kind()
		if isPyLate(m) {
			pylate, kind = true, kind[strings.LastIndexByte(kind, '.')+1:]
		}
		switch {
		case kind == "Transformer" && i == 0:
			f.network = m.Path
		case kind == "Dense" && i > 0 && f.dense == "" && !f.normalize:
			f.dense = m.Path
		case kind == "MultiVectorMask" && i > 0 && masks == "":
			masks = m.Path
		case kind == "Normalize" && i > 0:
			f.normalize = true
		case slices.Contains(lateModules(), kind):
			return f, fmt.Errorf("%s: %s is not supported there (known: one Transformer, then Dense once, MultiVectorMask and Normalize)", modulesFile, kind)
		default:
			return f, fmt.Errorf("%s: %w", modulesFile, nearest.Unknown("module of late interaction", kind, lateModules()))
		}
	}
	if len(modules) == 0 {
		return f, fmt.Errorf("%s: no module", modulesFile)
	}
	var err error
	if f.transformer, err = readTransformer(filepath.Join(dir, f.network), ""); err != nil {
		return f, err
	}
	if f.dense != "" {
		if err := checkTokenDense(filepath.Join(dir, f.dense)); err != nil {
			return f, err
		}
	}
	var config lateConfig
	if _, err := readJSON(dir, promptsFile, &config); err != nil {
		return f, err
	}
	if s := config.Similarity; s != nil && !strings.EqualFold(*s, "maxsim") {
		return f, fmt.Errorf("%s: similarity_fn_name %q is not supported for late interaction (known: MaxSim)", promptsFile, *s)
	}
	if pylate || masks == "" && config.ModelType != "MultiVectorEncoder" {
		return f, f.readPyLate(dir, &config)
	}
	return f, f.readMultiVector(dir, masks, &config)
}

func lateModules() []string { return []string{"Dense", "MultiVectorMask", "Normalize", "Transformer"} }

// checkTokenDense returns an error for projections other than a linear layer on tokens.
func checkTokenDense(dir string) error {
	var file struct {
		Residual bool   `json:"use_residual"`
		Input    string `json:"module_input_name"`
		Output   string `json:"module_output_name"`
	}
	if _, err := readJSON(dir, "config.json", &file); err != nil {
		return err
	}
	if file.Residual {
		return fmt.Errorf("%s: use_residual true is not supported", dir)
	}
	for _, name := range []string{file.Input, file.Output} {
		if name != "" && name != tokenVectors {
			return fmt.Errorf("%s: a Dense of %q is not supported (known: %s)", dir, name, tokenVectors)
		}
	}
	return nil
}

// readPyLate reads the keys of PyLate, which normalises vectors whatever modules.json contains.
// Its encode (pylate/models/colbert.py, 1.6) puts only the default prompt before queries and
// documents. Before tokenization texts lose white space at their ends and, if do_lower_case is
// set, their case (Transformer.py of sentence-transformers 5.3).
func (f *lateFolder) readPyLate(dir string, config *lateConfig) error {
	f.pylate = true
	if name := config.Default; name != nil {
		if err := f.text.usePrompts(dir, *name, *name); err != nil {
			return err
		}
	}
	f.queryPrefix, f.documentPrefix = lateQueryPrefix, lateDocumentPrefix
	f.text.MaxQuery, f.text.MaxDocument = lateQueryLength, lateDocumentLength
	f.skip, f.attend, f.normalize = strings.Split(punctuation, ""), config.Attend, true
	setFrom(&f.queryPrefix, config.QueryPrefix)
	setFrom(&f.documentPrefix, config.DocumentPrefix)
	setFrom(&f.text.MaxQuery, config.QueryLength)
	setFrom(&f.text.MaxDocument, config.DocumentLength)
	setFrom(&f.skip, config.Skip)
	if config.Expand == nil || *config.Expand {
		f.expandTo, f.fixed = f.text.MaxQuery, true
	}
	var err error
	if f.unknown, err = specialToken(filepath.Join(dir, f.network), "unk_token", "[UNK]"); err != nil {
		return err
	}
	return checkLengths(promptsFile, f.text.MaxQuery, f.text.MaxDocument)
}

// setFrom sets *v if the file has the setting.
func setFrom[T any](v *T, value *T) {
	if value != nil {
		*v = *value
	}
}

// expansion is query_expansion of sentence-transformers 6.
type expansion struct {
	Strategy string  `json:"strategy"`
	Attend   bool    `json:"attend"`
	Token    *string `json:"token"`
	Length   *int    `json:"length"`
}

// readMultiVector reads the files of sentence-transformers 6.
func (f *lateFolder) readMultiVector(dir, masks string, config *lateConfig) error {
	f.queryPrefix, f.documentPrefix, f.prefixText = config.Prompts["query"], config.Prompts["document"], true
	own, _, err := readOwn(dir)
	if err != nil {
		return err
	}
	if own.QueryPrompt != "" { // replaces these
		f.queryPrefix = ""
	}
	if own.DocumentPrompt != "" {
		f.documentPrefix = ""
	}
	file, x := f.transformer.name, f.transformer.Expansion
	f.filled = f.transformer.text.pad || f.transformer.all.pad
	setFrom(&f.text.MaxQuery, f.transformer.Query)
	setFrom(&f.text.MaxDocument, cmp.Or(f.transformer.cut(), f.transformer.Document))
	if x == nil {
		setFrom(&f.text.MaxQuery, f.transformer.cut())
	} else {
		if err := nearest.OneOf("query_expansion strategy", x.Strategy, "fixed", "min"); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		f.expandTo, f.attend = f.text.MaxQuery, x.Attend
		setFrom(&f.expandTo, x.Length)
		setFrom(&f.fill, x.Token)
		if f.fixed = x.Strategy == "fixed"; f.fixed {
			f.text.MaxQuery = f.expandTo
		} else {
			setFrom(&f.text.MaxQuery, f.transformer.text.cut)
		}
		setFrom(&f.text.MaxQuery, f.transformer.all.cut)
		if err := checkLengths(file, f.expandTo); err != nil {
			return err
		}
		if masks == "" && !x.Attend { // the tokens of the expansion are not scored
			f.expandTo = 0
		}
	}
	for _, n := range []int{f.text.MaxQuery, f.text.MaxDocument} {
		if n != 0 {
			if err := checkLengths(file, n); err != nil {
				return err
			}
		}
	}
	if masks == "" {
		return nil
	}
	return f.readMask(filepath.Join(dir, masks))
}

// readMask reads the module that leaves vectors out.
func (f *lateFolder) readMask(dir string) error {
	file := struct {
		Words []string  `json:"skiplist_words"`
		Tasks *[]string `json:"skiplist_tasks"`
		Only  *[]int32  `json:"keep_only_token_ids"`
	}{}
	found, err := readJSON(dir, "config.json", &file)
	if err == nil && !found {
		err = noModuleConfig(dir, modulesFile)
	}
	if err != nil {
		return err
	}
	if file.Only != nil {
		return fmt.Errorf("%s: keep_only_token_ids is not supported", dir)
	}
	f.skip = file.Words
	if t := file.Tasks; t != nil && !slices.Equal(*t, []string{"document"}) {
		if len(*t) > 0 {
			return fmt.Errorf("%s: skiplist_tasks %q is not supported (known: document)", dir, *t)
		}
		f.skip = nil
	}
	return nil
}

// readOwnTemplates applies the prompts and lengths of infbench.json, which come last.
func (t *Text) readOwnTemplates(dir string) error {
	own, _, err := readOwn(dir)
	if err != nil {
		return err
	}
	return t.setOwn(dir, "", &own)
}
