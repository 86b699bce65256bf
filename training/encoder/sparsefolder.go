package encoder

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"infbench/internal/nearest"
)

// routerFile assigns the modules of a Router to queries and documents.
const routerFile = "router_config.json"

// The modules of sparse models.
const (
	mlmModule     = "MLMTransformer"
	poolingModule = "SpladePooling"
	tableModule   = "SparseStaticEmbedding"
	routerModule  = "Router"
)

// sparseFolder holds the contents of the files of a sparse model.
type sparseFolder struct {
	text            Text
	query, document sparsePart
}

// sparsePart holds the folders of the modules that read one kind of text: a network with its
// pooling ("" in a folder without modules.json), or a table.
type sparsePart struct{ network, pooling, table string }

// Sparsely is the similarity by which a bare masked language model is read as SPLADE: the inner
// product of weights of terms.
const Sparsely = "sparse"

// IsSparse reports whether a folder holds a sparse model, judging by its files. OpenSparse or
// Open reports errors in the files.
func IsSparse(dir string) bool {
	if own, err := ownSimilarity(dir); err == nil && own == Sparsely {
		return true
	}
	var modules []module
	if _, err := readJSON(dir, modulesFile, &modules); err != nil {
		return false
	}
	var config struct {
		ModelType string `json:"model_type"`
	}
	kinds := []string{mlmModule, poolingModule, tableModule}
	if _, err := readJSON(dir, promptsFile, &config); err != nil {
		kinds = append(kinds, routerModule) // a broken file; its kinds are unknown
	} else if config.ModelType == "SparseEncoder" {
		return true
	}
	return slices.ContainsFunc(modules, func(m module) bool { return slices.Contains(kinds, m.kind()) })
}

// readSparseFolder reads modules.json and the folders that it names.
func readSparseFolder(dir string) (sparseFolder, error) {
	var modules []module
	found, err := readJSON(dir, modulesFile, &modules)
	if err != nil {
		return sparseFolder{}, err
	}
	var f sparseFolder
	if !found { // as sentence-transformers reads masked language models (sparse_encoder/model.py, 6.2)
		part := sparsePart{network: dir}
		f.query, f.document = part, part
		if f.text.notRead, err = notRead(dir); err != nil {
			return sparseFolder{}, err
		}
		return f, f.text.readOwnTemplates(dir)
	}
	if len(modules) == 1 && modules[0].kind() == routerModule {
		f, err = readRouter(dir, modules[0].Path)
	} else if f.document, err = readPart(dir, modulesFile, modules); err == nil {
		f.query = f.document
	}
	if err != nil {
		return sparseFolder{}, err
	}
	similarity, err := FolderSimilarity(dir)
	if err != nil {
		return sparseFolder{}, err
	}
	if similarity != "" && similarity != "dot" && similarity != Sparsely {
		return sparseFolder{}, fmt.Errorf("%s: similarity_fn_name %q is not supported for sparse models (known: dot)", promptsFile, similarity)
	}
	if err := f.text.readPrompts(dir); err != nil {
		return sparseFolder{}, err
	}
	return f, f.text.readOwnTemplates(dir)
}

// readRouter reads a Router in a folder.
func readRouter(dir, path string) (sparseFolder, error) {
	var f sparseFolder
	if path != "" && !filepath.IsLocal(path) {
		return f, fmt.Errorf("%s: path %q is outside the folder", modulesFile, path)
	}
	root := filepath.Join(dir, path)
	var file struct {
		Types     map[string]string   `json:"types"`
		Structure map[string][]string `json:"structure"`
	}
	if found, err := readJSON(root, routerFile, &file); err != nil || !found {
		if err == nil {
			err = fmt.Errorf("%s: the file is missing, but a Router needs it", filepath.Join(root, routerFile))
		}
		return f, err
	}
	for _, route := range slices.Sorted(maps.Keys(file.Structure)) {
		if err := nearest.OneOf("route", route, "query", "document"); err != nil {
			return f, fmt.Errorf("%s: %w", routerFile, err)
		}
	}
	for _, route := range []struct {
		name string
		part *sparsePart
	}{{"query", &f.query}, {"document", &f.document}} {
		var modules []module
		for _, name := range file.Structure[route.name] {
			kind, ok := file.Types[name]
			if !ok {
				return f, fmt.Errorf("%s: route %s has a module %q without a type", routerFile, route.name, name)
			}
			modules = append(modules, module{Path: name, Type: kind})
		}
		var err error
		if *route.part, err = readPart(root, routerFile+": route "+route.name, modules); err != nil {
			return f, err
		}
	}
	return f, nil
}

// readPart finds the modules that read a kind of text.
func readPart(dir, file string, modules []module) (sparsePart, error) {
	var kinds []string
	for _, m := range modules {
		if m.Path != "" && !filepath.IsLocal(m.Path) {
			return sparsePart{}, fmt.Errorf("%s: path %q is outside the folder", file, m.Path)
		}
		kind := m.kind()
		if kind == "Transformer" { // later versions distinguish it by its task
			kind = mlmModule
		}
		kinds = append(kinds, kind)
	}
	if len(modules) == 0 {
		return sparsePart{}, fmt.Errorf("%s has no modules", file)
	}
	at := func(i int) string { return filepath.Join(dir, modules[i].Path) }
	switch {
	case slices.Equal(kinds, []string{mlmModule, poolingModule}):
		return sparsePart{network: at(0), pooling: at(1)}, nil
	case slices.Equal(kinds, []string{tableModule}):
		return sparsePart{table: at(0)}, nil
	}
	for _, kind := range kinds {
		if err := nearest.OneOf("module of sparse models", kind, mlmModule, poolingModule, tableModule, routerModule); err != nil {
			return sparsePart{}, fmt.Errorf("%s: %w", file, err)
		}
	}
	return sparsePart{}, fmt.Errorf("%s: modules %q are not supported (known: %s then %s, %s, or a %s of them)",
		file, kinds, mlmModule, poolingModule, tableModule, routerModule)
}

// open reads the part's weights.
func (p sparsePart) open(text Text, backend compute.Backend) (sparseSide, error) {
	if p.table != "" {
		return openTermTable(p.table)
	}
	b, pooling, err := p.body(text)
	if err != nil {
		return nil, err
	}
	e, err := b.open(backend)
	if err != nil {
		return nil, err
	}
	return newSplade(e, pooling)
}

// body returns the network of a part that has one.
func (p sparsePart) body(text Text) (body, spladePooling, error) {
	pooling, transformer, err := spladePooling{Strategy: spladeMax, Activation: spladeOnce}, transformerFile{}, error(nil)
	if p.pooling == "" {
		err = transformer.readTokenizer(p.network)
	} else if pooling, err = readSpladePooling(p.pooling); err == nil {
		transformer, err = readTransformer(p.network, "fill-mask")
	}
	if err != nil {
		return body{}, pooling, err
	}
	query, document := text.MaxQuery, text.MaxDocument // set by infbench.json
	transformer.put(&text, true)
	text.setLengths(query, document)
	return body{root: p.network, text: text, choose: maskedHeadOf}, pooling, nil
}
