package encoder

import (
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

// The files that say how texts are handled: sentence-transformers' own, and
// infbench.json for what those cannot say. infbench.json wins.
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

// kind is the class of one of sentence-transformers' own modules, which versions
// keep in different packages; modules of others have their full name.
func (m module) kind() string {
	if !strings.HasPrefix(m.Type, modulePackage) {
		return m.Type
	}
	return m.Type[strings.LastIndexByte(m.Type, '.')+1:]
}

// ownText is what infbench.json says of texts.
type ownText struct {
	Query         string `json:"query"`
	QueryAlone    string `json:"query_without_instruction"`
	Document      string `json:"document"`
	DocumentAlone string `json:"document_without_title"`
	MaxQuery      int    `json:"max_query_tokens"`
	MaxDocument   int    `json:"max_document_tokens"`
	AppendEOS     bool   `json:"append_eos,omitempty"`
	Judge         Judge  `json:"judge,omitzero"`

	Tokenizer tokenizer.Reading `json:"tokenizer,omitempty"` // absent: as transformers 5

	// Prompts of config_sentence_transformers.json by name, in the place of query and
	// document.
	QueryPrompt    string `json:"query_prompt,omitempty"`
	DocumentPrompt string `json:"document_prompt,omitempty"`

	// LeaveOut are beginnings of the names of tensors that are not read, such as a head
	// that was used in training; TensorPrefix stands before the names of all that are read.
	LeaveOut     []string `json:"leave_out,omitempty"`
	TensorPrefix string   `json:"tensor_prefix,omitempty"`

	Attention   string        `json:"attention,omitempty"`      // absent: as config.json says
	Prompt      PromptPooling `json:"prompt_pooling,omitempty"` // absent: as 1_Pooling says
	Interaction Interaction   `json:"interaction,omitempty"`    // absent: concat

	Concat         Concatenation `json:"concat,omitempty"` // absent: text
	TruncationSide Edge          `json:"truncation_side,omitempty"`
	PaddingSide    Edge          `json:"padding_side,omitempty"`
}

// layout is what modules.json says of a folder.
type layout struct {
	modules   bool     // there is a modules.json
	network   string   // folder of the network's files, relative
	pooling   string   // folder of the pooling's config.json, relative
	dense     []string // folders of the projections, relative, in their order
	static    bool
	normalize bool
	scores    bool   // it is a cross-encoder of sentence-transformers, which has no vectors
	logits    string // folder of its LogitScore, relative; "": none
}

// readLayout reads modules.json. A folder without it is a bare network: mean
// pooling, normalised. One with projections came incompletely.
func readLayout(dir string) (layout, error) {
	var modules []module
	found, err := readJSON(dir, modulesFile, &modules)
	if err != nil {
		return layout{}, err
	}
	if !found {
		left, err := fs.Glob(os.DirFS(dir), "*_Dense/config.json")
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%s: no %s says what it follows", filepath.Join(dir, filepath.Dir(left[0])), modulesFile)
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
			return layout{}, fmt.Errorf("%s: %s, which reads queries and documents by modules of their own, is not supported: write a folder for each side, and next to them an %s with their paths as query_encoder and document_encoder", modulesFile, kind, ownFile)
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

// vectorModules are those of models that give a text one vector.
func vectorModules() []string {
	return []string{"Dense", "Normalize", "Pooling", "StaticEmbedding", "Transformer"}
}

// readText gathers what the files of a model folder say of texts.
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
	if where.static { // which sentence-transformers gives no length
		t.most = unbounded
	} else {
		root, said, err := filepath.Join(dir, where.network), transformerFile{}, error(nil)
		if where.modules {
			said, err = readTransformer(root, "")
		} else {
			t.notRead, err = notRead(dir)
			err = errors.Join(err, said.readTokenizer(root))
		}
		if err != nil {
			return Text{}, err
		}
		said.put(&t, where.modules || classifies(root))
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
	own, found, err := readOwn(dir)
	if err != nil {
		return Text{}, err
	}
	if found {
		if err := t.setOwn(dir, filepath.Join(dir, where.network), &own); err != nil {
			return Text{}, err
		}
		t.AppendEOS, t.Judge = own.AppendEOS, own.Judge
		t.Interaction, t.Concat = own.Interaction, own.Concat
		t.TruncationSide, t.PaddingSide = own.TruncationSide, own.PaddingSide
		t.BothWays, t.attentionKnown = own.Attention == bidirectional, own.Attention != ""
		if err := nearest.OneOf("attention", own.Attention, bidirectional, causalAttention); err != nil {
			return Text{}, fmt.Errorf("%s: %w", ownFile, err)
		}
		setIf(&t.Prompt, own.Prompt)
	}
	if own.Pooling != "" {
		t.Pooling, t.unlisted = own.Pooling, false
	}
	if own.Normalize != nil {
		t.Normalize = *own.Normalize
	}
	return t, nil
}

// FolderSimilarity is how the vectors of a model's folder are to be compared, as
// sentence-transformers' similarity_fn_name: "cosine", "dot" or another of its
// names; "" where the folder does not say. Of a folder that says dot and normalises
// vectors the inner products are cosines, so it is "cosine".
func FolderSimilarity(dir string) (string, error) {
	var file struct {
		Name *string `json:"similarity_fn_name"`
		Cut  *int    `json:"truncate_dim"`
	}
	if _, err := readJSON(dir, promptsFile, &file); err != nil || file.Name == nil {
		return "", err
	}
	if found, err := disk.Exists(filepath.Join(dir, modulesFile)); err != nil || !found {
		return "", err // the file is not read then: see notRead
	}
	if *file.Name == "dot" {
		normalizes, err := saysNormalize(dir)
		if err != nil || !normalizes {
			return *file.Name, err
		}
		if file.Cut != nil {
			return "", fmt.Errorf("%s: truncate_dim cuts vectors of length 1, whose inner products (similarity_fn_name dot) are then no cosines: write similarity_fn_name cosine, or take truncate_dim out", filepath.Join(dir, promptsFile))
		}
		return "cosine", nil
	}
	return *file.Name, nil
}

// saysNormalize reports whether a file of the folder says that vectors are normalised; a bare
// network's are by default alone.
func saysNormalize(dir string) (bool, error) {
	var own ownPooling
	if _, err := readJSON(dir, ownFile, &own); err != nil || own.Normalize != nil {
		return err == nil && *own.Normalize, err
	}
	var modules []module
	_, err := readJSON(dir, modulesFile, &modules)
	return slices.ContainsFunc(modules, func(m module) bool { return m.kind() == "Normalize" }), err
}

// textFiles returns the files that make readText and sentence-transformers
// read t again, by name relative to the model folder.
func (t *Text) textFiles(dim int, isStatic bool, projections []dense) map[string]any {
	library := map[string]any{
		"prompts": map[string]string{
			"query":    promptOf(t.QueryAlone, "{query}"),
			"document": promptOf(t.DocumentAlone, "{text}"),
		},
		"default_prompt_name": nil,
		"similarity_fn_name":  "cosine",
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

// own is infbench.json.
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
	if t.Prompt.Excludes() || t.saysPrompt {
		o.Prompt = t.Prompt
	}
	if t.Interaction.Crossed() {
		o.Interaction = t.Interaction
	}
	return o
}

// promptOf is what a template writes before its place.
func promptOf(template, place string) string {
	before, _, _ := strings.Cut(template, place)
	return before
}

// noModuleConfig is the error of a module's folder without the file that says what the
// module does: a folder that came incompletely must not get a default's numbers.
func noModuleConfig(dir, says string) error {
	return fmt.Errorf("%s: no config.json, which %s says is there", dir, says)
}

// readJSON decodes the file dir/name into v; ok is false where there is none. Keys that v
// does not have are left out: the file is of another program.
func readJSON(dir, name string, v any) (ok bool, err error) {
	return readFile(dir, name, func(path string, data []byte) error {
		if err := json.Unmarshal(data, v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// readFile hands the text of dir/name to decode; ok is false where there is none.
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
