package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/metrics/nearest"
	"infbench/runners"
	"infbench/training/encoder"
)

// modelOptions say what ranks in an evaluation, and how it is made.
type modelOptions struct {
	model      string
	first      string   // stage before a model that scores pairs; "": each query's candidates
	depth      int      // documents of the first stage
	fuse       []string // models whose rankings are joined with the model's
	similarity string
	seed       int64
	remote     remoteOptions
	machineOptions
}

// addFlags declares the options.
func (o *modelOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", "a name (infbench list models), a HuggingFace model folder or a TREC run file")
	f.StringVar(&o.first, "first", "", "model that finds the documents which a cross-encoder or judge scores (default each query's candidates)")
	f.IntVar(&o.depth, "depth", 100, "documents that --first finds for a query")
	f.StringArrayVar(&o.fuse, "fuse", nil, "join the rankings with this model's by reciprocal rank fusion; may be repeated")
	f.StringVar(&o.similarity, "similarity", "", "how vectors are compared: cosine or dot (default what the model's folder says, else cosine)")
	f.Int64Var(&o.seed, "seed", 1, "seed of the model random")
	o.machineOptions.addFlags(cmd, "folder that keeps vectors from one run to the next (see infbench cache)")
	o.remote.addFlags(cmd)
}

// check finds the faults that need no model.
func (o *modelOptions) check() error {
	if _, err := runners.ParseSimilarity(o.similarity); err != nil {
		return err
	}
	if o.depth < 1 {
		return usagef("--depth %d: want at least 1", o.depth)
	}
	if err := o.machineOptions.check(); err != nil {
		return err
	}
	return o.remote.check(slices.Contains(o.models(), remoteModel))
}

// models are all models named.
func (o *modelOptions) models() []string {
	if o.first == "" {
		return append([]string{o.model}, o.fuse...)
	}
	return append([]string{o.first, o.model}, o.fuse...)
}

// name is what output folders are called by.
func (o *modelOptions) name() string {
	var parts []string
	for _, model := range o.models() {
		if model == remoteModel {
			model = o.remote.model
		}
		parts = append(parts, safeName(filepath.Base(model)))
	}
	return strings.Join(parts, "-")
}

// settings are the options as reports show them, those left out that have no
// say in the numbers.
func (o *modelOptions) settings() map[string]string {
	s := map[string]string{"model": o.model, "seed": fmt.Sprint(o.seed)}
	if o.first != "" {
		s["first"], s["depth"] = o.first, fmt.Sprint(o.depth)
	}
	if len(o.fuse) > 0 {
		s["fuse"] = strings.Join(o.fuse, "+")
	}
	if kind, err := o.similarityOf(o.model); err == nil && kind != runners.Cosine {
		s["similarity"] = string(kind)
	}
	o.remote.addSettings(s)
	return s
}

// similarityOf says how a model's vectors are compared: as the flag says, else as
// its folder does.
func (o *modelOptions) similarityOf(model string) (runners.Similarity, error) {
	if o.similarity != "" {
		return runners.ParseSimilarity(o.similarity)
	}
	name, err := encoder.FolderSimilarity(model)
	if err != nil {
		return "", err
	}
	kind, err := runners.ParseSimilarity(name)
	if err != nil {
		return "", fmt.Errorf("model %s: %w; choose one by --similarity", model, err)
	}
	return kind, nil
}

// modelOpener opens the models of one evaluation.
type modelOpener struct {
	modelOptions
	vectorCaches
	backend    compute.Backend // nil until a model needs it
	pairs      string          // a model that scores pairs, "" without one
	candidates bool            // it scores the candidates of each query
}

// open makes the retriever that the options describe.
func (m *modelOpener) open() (runners.Retriever, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	model, err := m.retriever(m.model)
	if err != nil {
		return nil, err
	}
	parts := []runners.Part{{Retriever: model, Weight: 1}}
	for _, name := range m.fuse {
		other, err := m.retriever(name)
		if err != nil {
			return nil, fmt.Errorf("--fuse: %w", err)
		}
		parts = append(parts, runners.Part{Retriever: other, Weight: 1})
	}
	if m.first != "" && m.pairs == "" {
		return nil, usagef("--first %s: %s finds documents by itself; only cross-encoders and judges have a first stage", m.first, m.model)
	}
	if len(parts) == 1 {
		return model, nil
	}
	return runners.NewRRF(runners.RRFConstant, retrieveDepth, parts...), nil
}

// checkTasks refuses tasks that the opened models cannot rank.
func (m *modelOpener) checkTasks(b *datasets.Benchmark) error {
	for i := range b.Tasks {
		if m.candidates && b.Tasks[i].Candidates == nil {
			return usagef("%s scores pairs, and task %s/%s lists no candidates: let another model find some, as with --first bm25 --depth 100",
				m.pairs, b.Name, b.Tasks[i].Name)
		}
	}
	return nil
}

// retriever opens one model; one that scores pairs gets the first stage.
func (m *modelOpener) retriever(name string) (runners.Retriever, error) {
	pairs, err := scoresPairs(name)
	if err != nil {
		return nil, err
	}
	if !pairs {
		return m.finder(name)
	}
	reranker, err := m.reranker(name)
	if err != nil {
		return nil, err
	}
	m.pairs = name
	if m.first == "" {
		m.candidates = true
		return runners.NewRerank(nil, reranker, 0), nil
	}
	if again, err := scoresPairs(m.first); err != nil || again {
		if err == nil {
			err = usagef("--first %s scores pairs: name a model that finds documents, such as bm25", m.first)
		}
		return nil, err
	}
	first, err := m.finder(m.first)
	if err != nil {
		return nil, fmt.Errorf("--first: %w", err)
	}
	return runners.NewRerank(first, reranker, m.depth), nil
}

// finder opens a model that finds documents by itself.
func (m *modelOpener) finder(name string) (runners.Retriever, error) {
	if name == remoteModel {
		return m.openRemote()
	}
	info, err := os.Stat(name)
	switch {
	case err != nil && isPath(name):
		return nil, fmt.Errorf("open model: %w", err)
	case err != nil:
		return openBaseline(name, m.seed)
	case info.IsDir():
		return m.dense(name)
	}
	return runners.OpenRunFile(name)
}

// dense opens a HuggingFace folder as a dense retriever.
func (m *modelOpener) dense(dir string) (runners.Retriever, error) {
	if err := m.openBackend(); err != nil {
		return nil, err
	}
	kind, err := m.similarityOf(dir)
	if err != nil {
		return nil, err
	}
	enc, err := encoder.Open(dir, m.backend)
	if err != nil {
		return nil, err
	}
	enc.SetBatching(m.batching())
	if m.cacheFolder() == "" {
		return m.newDense(filepath.Clean(dir), enc, kind), nil
	}
	source, err := folderSource(dir)
	if err != nil {
		return nil, err
	}
	of, err := fingerprint(source, enc, m.device)
	if err != nil {
		return nil, err
	}
	cached, err := m.put(enc, m.cacheFolder(), of)
	if err != nil {
		return nil, err
	}
	return m.newDense(filepath.Clean(dir), cached, kind), nil
}

func (m *modelOpener) newDense(name string, enc runners.Encoder, kind runners.Similarity) runners.Retriever {
	return runners.NewDense(name, enc, m.machineOptions.dense(kind))
}

// openBackend opens the backend that all models of the evaluation share.
func (m *modelOpener) openBackend() (err error) {
	if m.backend == nil {
		m.backend, err = m.machineOptions.open()
	}
	return err
}

// isPath says whether a name can only be meant as a path.
func isPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".."
}

// modelNames lists the models that evaluate takes by name: every BM25, and the
// baselines that read no text.
func modelNames() []string {
	return append(runners.BM25Variants(), "random", "constant", "document-order")
}

// openBaseline makes a model that needs no weights.
func openBaseline(name string, seed int64) (runners.Retriever, error) {
	switch name {
	case "random":
		return runners.NewRandom(uint64(seed)), nil
	case "constant":
		return runners.NewConstant(), nil
	case "document-order":
		return runners.NewDocumentOrder(), nil
	}
	if slices.Contains(runners.BM25Variants(), name) {
		return runners.NewBM25(runners.BM25Options{Variant: name})
	}
	return nil, nearest.Unknown("model", name, append(modelNames(), remoteModel, "a HuggingFace folder", "a TREC run file"))
}
