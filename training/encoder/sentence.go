package encoder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/training/tokenizer"
)

// The files that define the handling of texts: sentence-transformers' own, and infbench.json for
// settings that those cannot express. infbench.json wins.
const (
	modulesFile = "modules.json"
	poolingDir  = "1_Pooling"
	lengthFile  = "sentence_bert_config.json"
	promptsFile = "config_sentence_transformers.json"
	ownFile     = "infbench.json"
)

// module is one entry of modules.json.
type module struct {
	Index int    `json:"idx"`
	Name  string `json:"name"`
	Path  string `json:"path"`
	Type  string `json:"type"`
}

const (
	modulePackage = "sentence_transformers."
	modulePrefix  = modulePackage + "models."
)

// kind is the class of one of sentence-transformers' own modules, which different versions keep
// in different packages; other modules have their full name.
func (m module) kind() string {
	if !strings.HasPrefix(m.Type, modulePackage) {
		return m.Type
	}
	return m.Type[strings.LastIndexByte(m.Type, '.')+1:]
}

// ownText holds the settings for texts in infbench.json.
type ownText struct {
	Query         string `json:"query"`
	QueryAlone    string `json:"query_without_instruction"`
	Document      string `json:"document"`
	DocumentAlone string `json:"document_without_title"`
	MaxQuery      int    `json:"max_query_tokens"`
	MaxDocument   int    `json:"max_document_tokens"`
	AppendEOS     bool   `json:"append_eos,omitempty"`
	Judge         Judge  `json:"judge,omitzero"`

	// Similarity is cosine, dot or sparse, and wins over config_sentence_transformers.json. Sparse
	// reads a masked language model as SPLADE.
	Similarity string `json:"similarity,omitempty"`

	Tokenizer tokenizer.Reading `json:"tokenizer,omitempty"` // absent: as transformers 5

	// Names of prompts in config_sentence_transformers.json that replace query and document.
	QueryPrompt    string `json:"query_prompt,omitempty"`
	DocumentPrompt string `json:"document_prompt,omitempty"`

	// LeaveOut holds prefixes of the names of tensors that are not read, such as a head used in
	// training; TensorPrefix is the prefix of the names of all tensors that are read.
	LeaveOut     []string `json:"leave_out,omitempty"`
	TensorPrefix string   `json:"tensor_prefix,omitempty"`

	Attention   string        `json:"attention,omitempty"`      // absent: as in config.json
	Prompt      PromptPooling `json:"prompt_pooling,omitempty"` // absent: as in 1_Pooling
	Interaction Interaction   `json:"interaction,omitempty"`    // absent: concat

	Concat         Concatenation `json:"concat,omitempty"` // absent: text
	TruncationSide Edge          `json:"truncation_side,omitempty"`
	PaddingSide    Edge          `json:"padding_side,omitempty"`
}

// layout is a folder's structure as described by modules.json.
type layout struct {
	modules   bool     // there is a modules.json
	network   string   // folder of the network's files, relative
	pooling   string   // folder of the pooling's config.json, relative
	dense     []string // folders of the projections, relative, in their order
	static    bool
	normalize bool
	scores    bool   // a cross-encoder of sentence-transformers, which has no vectors
	logits    string // folder of its LogitScore, relative; "": none
}

// readLayout reads modules.json. A folder without it is a bare network: mean pooling, normalised.
// One with projections is incomplete.
func readLayout(dir string) (layout, error) {
	var modules []module
	found, err := readJSON(dir, modulesFile, &modules)
	if err != nil {
		return layout{}, err
	}
	if !found {
		left, err := fs.Glob(os.DirFS(dir), "*_Dense/config.json")
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%s: %s is missing, so the module before it is unknown", filepath.Join(dir, filepath.Dir(left[0])), modulesFile)
		}
		return layout{pooling: poolingDir, normalize: true}, err
	}
	for _, m := range modules {
		if m.Path != "" && !filepath.IsLocal(m.Path) {
			return layout{}, fmt.Errorf("%s: path %q is outside the folder", modulesFile, m.Path)
		}
	}
	if l, ok, err := pairLayout(dir, modules); ok || err != nil {
		return l, err
	}
	l := layout{modules: true}
	for i, m := range modules {
		switch kind := m.kind(); {
		case (kind == "Transformer" || kind == "StaticEmbedding") && i == 0:
			l.network, l.static = m.Path, kind == "StaticEmbedding"
		case kind == "Pooling" && i > 0 && l.pooling == "" && !l.normalize:
			l.pooling = m.Path
		case kind == "Dense" && l.pooling != "" && !l.normalize:
			l.dense = append(l.dense, m.Path)
		case kind == "Normalize" && i > 0:
			l.normalize = true
		case kind == routerModule || kind == "Asym":
			return layout{}, fmt.Errorf("%s: %s, with separate modules for queries and documents, is not supported: write a folder for each side, and next to them an %s with their paths as query_encoder and document_encoder", modulesFile, kind, ownFile)
		case slices.Contains(vectorModules(), kind):
			return layout{}, fmt.Errorf("%s: %s is not supported there (known: Transformer or StaticEmbedding, Pooling once, then Dense, then Normalize)", modulesFile, kind)
		default:
			return layout{}, fmt.Errorf("%s: %w", modulesFile, nearest.Unknown("module", kind, vectorModules()))
		}
	}
	if l.pooling == "" && !l.static {
		return layout{}, fmt.Errorf("%s: no Pooling module: the model has no single vector for a text", modulesFile)
	}
	return l, nil
}

// vectorModules are the modules of models that make one vector of a text.
func vectorModules() []string {
	return []string{"Dense", "Normalize", "Pooling", "StaticEmbedding", "Transformer"}
}

// readText gathers the settings for texts from the files of a model folder.
func readText(dir string, where layout) (Text, error) {
	t := Text{Normalize: where.normalize}
	if !where.static && !where.scores {
		found, err := t.readPooling(dir, filepath.Join(where.pooling, "config.json"))
		if err == nil && !found && where.modules {
			err = noModuleConfig(filepath.Join(dir, where.pooling), modulesFile)
		}
		t.unlisted = found && !where.modules
		if err != nil {
			return Text{}, err
		}
	}
	if where.static { // sentence-transformers gives it no length
		t.most = unbounded
	} else {
		root, transformer, err := filepath.Join(dir, where.network), transformerFile{}, error(nil)
		if where.modules {
			transformer, err = readTransformer(root, "")
		} else {
			t.notRead, err = notRead(dir)
			err = errors.Join(err, transformer.readTokenizer(root))
		}
		if err != nil {
			return Text{}, err
		}
		transformer.put(&t, where.modules || classifies(root))
	}
	readPrompts := t.readPrompts
	if !where.modules {
		readPrompts = func(string) error { return nil }
	} else if where.scores {
		readPrompts = func(dir string) error { return t.readPairPrompt(dir, where) }
	}
	if err := readPrompts(dir); err != nil {
		return Text{}, err
	}
	return t, t.readOwn(dir, filepath.Join(dir, where.network))
}

// readOwn applies the infbench.json in dir, if there is one, over other settings; network is the
// folder of the network's files.
func (t *Text) readOwn(dir, network string) error {
	own, found, err := readOwn(dir)
	if err != nil || !found {
		return err
	}
	if err := t.setOwn(dir, network, &own); err != nil {
		return err
	}
	if err := nearest.OneOf("attention", own.Attention, bidirectional, causalAttention); err != nil {
		return fmt.Errorf("%s: %w", ownFile, err)
	}
	if own.Attention != "" {
		t.BothWays, t.attentionKnown = own.Attention == bidirectional, true
	}
	t.stated = t.stated || own.Similarity != ""
	setIf(&t.AppendEOS, own.AppendEOS)
	setIf(&t.Judge, own.Judge)
	setIf(&t.Interaction, own.Interaction)
	setIf(&t.Concat, own.Concat)
	setIf(&t.TruncationSide, own.TruncationSide)
	setIf(&t.PaddingSide, own.PaddingSide)
	setIf(&t.Prompt, own.Prompt)
	if own.Pooling != "" {
		t.Pooling, t.unlisted = own.Pooling, false
	}
	setFrom(&t.Normalize, own.Normalize)
	return nil
}

// FolderSimilarity is the similarity for the vectors of a model's folder, in the terms of
// sentence-transformers' similarity_fn_name: "cosine", "dot" or another of its names; "sparse" by
// infbench.json; "" if the folder does not set it. If a folder sets dot and normalises vectors, the
// inner products are cosines, so it is "cosine".
func FolderSimilarity(dir string) (string, error) {
	var file struct {
		Name *string `json:"similarity_fn_name"`
		Cut  *int    `json:"truncate_dim"`
	}
	own, err := ownSimilarity(dir)
	if err != nil {
		return "", err
	}
	if own != "" {
		file.Name = &own
	} else {
		if _, err := readJSON(dir, promptsFile, &file); err != nil || file.Name == nil {
			return "", err
		}
		if found, err := disk.Exists(filepath.Join(dir, modulesFile)); err != nil || !found {
			return "", err // the file is not read then: see notRead
		}
	}
	if *file.Name == "dot" {
		normalizes, err := setsNormalize(dir)
		if err != nil || !normalizes {
			return *file.Name, err
		}
		if file.Cut != nil {
			return "", fmt.Errorf("%s: truncate_dim cuts vectors of length 1, so their inner products (similarity_fn_name dot) are not cosines: write similarity_fn_name cosine, or remove truncate_dim", filepath.Join(dir, promptsFile))
		}
		return "cosine", nil
	}
	return *file.Name, nil
}

// ownSimilarity is the similarity in infbench.json; "" if there is none.
func ownSimilarity(dir string) (string, error) {
	var own struct {
		Similarity string `json:"similarity"`
	}
	_, err := readJSON(dir, ownFile, &own)
	return own.Similarity, err
}

// setsNormalize reports whether a file of the folder sets that vectors are normalised. For a bare
// network this is only a default.
func setsNormalize(dir string) (bool, error) {
	var own ownPooling
	if _, err := readJSON(dir, ownFile, &own); err != nil || own.Normalize != nil {
		return err == nil && *own.Normalize, err
	}
	var modules []module
	_, err := readJSON(dir, modulesFile, &modules)
	return slices.ContainsFunc(modules, func(m module) bool { return m.kind() == "Normalize" }), err
}

// textFiles returns the files from which readText and sentence-transformers restore t, by name
// relative to the model folder.
func (t *Text) textFiles(dim int, isStatic bool, projections []dense) map[string]any {
	library := map[string]any{
		"prompts": map[string]string{
			"query":    promptOf(t.QueryAlone, "{query}"),
			"document": promptOf(t.DocumentAlone, "{text}"),
		},
		"default_prompt_name": nil,
		"similarity_fn_name":  cmp.Or(t.Score, CosineScore),
	}
	if t.dims > 0 {
		library["truncate_dim"] = t.dims
	}
	files := map[string]any{promptsFile: library, ownFile: t.own()}
	var modules []module
	add := func(folder, kind string) {
		n := len(modules)
		modules = append(modules, module{n, strconv.Itoa(n), folder, modulePrefix + kind})
	}
	if isStatic {
		add(staticFolder, "StaticEmbedding")
	} else {
		add("", "Transformer")
		add(poolingDir, "Pooling")
		files[filepath.Join(poolingDir, "config.json")] = t.poolingFile(dim)
		files[lengthFile] = map[string]any{"max_seq_length": max(t.MaxQuery, t.MaxDocument), "do_lower_case": false}
	}
	for i, d := range projections {
		add(denseFolder(i), "Dense")
		files[filepath.Join(denseFolder(i), "config.json")] = d
	}
	if t.Normalize {
		add(strconv.Itoa(len(modules))+"_Normalize", "Normalize")
	}
	files[modulesFile] = modules
	return files
}

// own returns infbench.json.
func (t *Text) own() ownText {
	o := ownText{
		Query: t.Query, QueryAlone: t.QueryAlone, Document: t.Document, DocumentAlone: t.DocumentAlone,
		MaxQuery: t.MaxQuery, MaxDocument: t.MaxDocument, AppendEOS: t.AppendEOS, Judge: t.Judge,
		Concat: t.Concat, TruncationSide: t.TruncationSide, PaddingSide: t.PaddingSide,
	}
	if t.BothWays {
		o.Attention = bidirectional
	} else if t.attentionKnown {
		o.Attention = causalAttention
	}
	if t.Prompt.Excludes() || t.promptSet {
		o.Prompt = t.Prompt
	}
	if t.Interaction.Crossed() {
		o.Interaction = t.Interaction
	}
	return o
}

// promptOf is the text that a template writes before its place.
func promptOf(template, place string) string {
	before, _, _ := strings.Cut(template, place)
	return before
}

// noModuleConfig is the error for a module's folder without its configuration. An incomplete
// folder must not get default settings.
func noModuleConfig(dir, lister string) error {
	return fmt.Errorf("%s: config.json is missing, but %s lists this folder", dir, lister)
}

// readJSON decodes the file dir/name into v; ok is false if there is none. Keys that v does not
// have are ignored, because the file belongs to another program.
func readJSON(dir, name string, v any) (ok bool, err error) {
	return readFile(dir, name, func(path string, data []byte) error {
		if err := json.Unmarshal(data, v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// readFile passes the text of dir/name to decode; ok is false if there is none.
func readFile(dir, name string, decode func(path string, data []byte) error) (ok bool, err error) {
	path := filepath.Join(dir, name)
	data, err := disk.ReadText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = labelled(path, disk.StandIn(data))
	}
	if err == nil {
		err = decode(path, data)
	}
	return err == nil, err
}
