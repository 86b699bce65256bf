package catalog

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"infbench/datasets"
	"infbench/datasets/chat"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/codes"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// ModelOptions select the ranking models of an evaluation and their settings.
type ModelOptions struct {
	Model      string
	First      string     // stage before a model that scores pairs; "": each query's candidates
	Depth      int        // documents from the first stage
	Fuse       []string   // models whose rankings are merged with the model's
	Similarity string     // "": by the model's card or folder
	Storage    string     // format of stored token vectors: a codes.Form; "" is float32
	Index      spec.Index // index that is searched instead of all vectors
	Precision  encoder.Precision
	Dims       int // number of values that vectors are cut to; 0: by the model's folder, else all

	// QueryPrompt and DocumentPrompt name prompts of the model's folder; "": those of its card
	// or files.
	QueryPrompt, DocumentPrompt string

	Seed     int64 // seed of the model random
	Remote   RemoteOptions
	Language spec.Chat // without a URL it is at Remote's
	device.Options
}

// check returns the errors that can be found without a model.
func (o *ModelOptions) check() error {
	if err := o.Options.Check(); err != nil {
		return err
	}
	return o.checkRanking()
}

// checkRanking returns the errors of the ranking settings.
func (o *ModelOptions) checkRanking() error {
	if err := nearest.OneOf("similarity", o.Similarity, string(runners.Cosine), string(runners.Dot), string(runners.MaxSim), string(runners.PaddedMaxSim), encoder.Sparsely); err != nil {
		return err
	}
	if err := o.checkTokens(); err != nil {
		return err
	}
	if err := completeIndex(&o.Index); err != nil {
		return err
	}
	if o.Depth < 1 {
		return usage.Errorf("--depth %d: want at least 1", o.Depth)
	}
	if err := o.Precision.Check(); err != nil {
		return usage.Error{Err: fmt.Errorf("--precision: %w", err)}
	}
	if _, known := spec.FindBaseline(o.Model); o.QueryPrompt+o.DocumentPrompt != "" && (known || isWeightless(o.Model)) {
		return o.noPrompts()
	}
	if o.Dims < 0 {
		return usage.Errorf("--dims %d: want at least 1, or 0 for all values", o.Dims)
	}
	if o.Dims > 0 && o.Similarity == string(runners.Dot) {
		return usage.Errorf("--dims %d normalises the shortened vectors, so inner products are cosines: leave out --similarity %s, or --dims", o.Dims, o.Similarity)
	}
	return o.checkRemote()
}

// models are the names of all models.
func (o *ModelOptions) models() []string {
	if o.First == "" {
		return append([]string{o.Model}, o.Fuse...)
	}
	return append([]string{o.First, o.Model}, o.Fuse...)
}

// Name is the first part of the names of output folders.
func (o *ModelOptions) Name() string {
	var parts []string
	for _, model := range o.models() {
		switch model {
		case remoteModel:
			model = o.Remote.Model
		case chatModel:
			model = o.Language.Model
		}
		parts = append(parts, results.FileName(folderName(called(model))))
	}
	return strings.Join(parts, "-")
}

// folderName is the name of a model by its path. Every trained model is in a folder named
// model, so the folder above it, such as a trial's, names it.
func folderName(model string) string {
	base := filepath.Base(model)
	if above := filepath.Base(filepath.Dir(filepath.Clean(model))); base == results.ModelDir && results.FileName(above) != "" {
		return above
	}
	return base
}

// Config is the options and the hashes of the opened models in the form for reports. Options
// that do not affect results are left out.
func (m *Opener) Config() results.Config {
	c := m.ModelOptions.config()
	if sum := m.Weights(); sum != "" {
		c[results.Weights] = sum
	}
	if cards := strings.Join(m.marks, "+"); cards != "" {
		c[results.Card] = cards
	}
	return c
}

// config is Config for the options alone.
func (o *ModelOptions) config() results.Config {
	c := results.Config{results.Model: called(o.Model), results.Seed: fmt.Sprint(o.Seed)}
	if o.First != "" {
		c[results.First], c[results.Depth] = called(o.First), fmt.Sprint(o.Depth)
	}
	if len(o.Fuse) > 0 {
		var names []string
		for _, name := range o.Fuse {
			names = append(names, called(name))
		}
		c[results.Fuse] = strings.Join(names, "+")
	}
	if kind, err := o.similarityOf(o.Model); err == nil && kind != runners.Cosine {
		c[results.Similarity] = string(kind)
	}
	if o.Similarity == string(runners.PaddedMaxSim) {
		c[results.Similarity] = o.Similarity
	}
	if o.storageForm() != codes.Float32 {
		c[results.Storage] = o.Storage
	}
	o.addIndexTo(c)
	if o.QueryPrompt != "" {
		c[results.QueryPrompt] = o.QueryPrompt
	}
	if o.DocumentPrompt != "" {
		c[results.DocumentPrompt] = o.DocumentPrompt
	}
	if o.Precision == encoder.BFloat16 {
		c[results.EvaluatedIn] = string(o.Precision)
	}
	if o.Dims > 0 {
		c[results.CutTo] = fmt.Sprint(o.Dims)
	}
	if slices.Contains(o.models(), remoteModel) {
		o.Remote.addTo(c)
	}
	o.addChatTo(c)
	return c
}

// similarityOf returns the similarity of a model's vectors: by the flag, or else its card, or
// else its folder. The model was opened before, or its files were found.
func (o *ModelOptions) similarityOf(model string) (runners.Similarity, error) {
	if o.Similarity != encoder.Sparsely && o.Similarity != "" || isWeightless(model) {
		return runners.ParseSimilarity(o.Similarity)
	}
	w, err := namedWeights(model)
	if err != nil {
		return "", err
	}
	if o.Similarity == encoder.Sparsely && !encoder.IsSparse(w.path) {
		return encoder.Sparsely, nil
	}
	return w.similarity()
}

// similarity returns the similarity of the model's vectors by its card or folder.
func (w *catalogWeights) similarity() (runners.Similarity, error) {
	if w.carded() && w.card.Similarity != "" {
		return runners.ParseSimilarity(w.card.Similarity)
	}
	name, err := encoder.FolderSimilarity(w.path)
	if err != nil || name == encoder.Sparsely {
		return runners.Similarity(name), err
	}
	kind, err := runners.ParseSimilarity(name)
	if err != nil {
		return "", fmt.Errorf("model %s: %w; choose one by --similarity", w.name, err)
	}
	return kind, nil
}

// Opener opens the models of one evaluation.
type Opener struct {
	ModelOptions
	VectorCaches
	backend        compute.Backend // nil until a model needs it
	read           []string        // hashes of the models' files, in the order of opening
	marks          []string        // marks of the models' cards, likewise
	Remarks        []string        // on the models' cards and on run files, for the user
	runFiles       []*runners.RunFile
	Readings       []string // how models without a single vector per text read and compare texts
	Deviations     []results.Deviation
	Approximations []results.Approximation
	Chat           *results.Chat     // record of a language model, complete after all rankings
	Thoughts       []results.Thought // of a language model before its answers, for the task that was ranked last
	pairs          string            // a model that scores pairs, "" if there is none
	staged         bool              // a model that finds documents ranks those of the first stage
	Forecast       bool              // count the questions to a language model instead of asking them
	forecaster     *chat.Forecaster
	stored         bool   // a model with token vectors was opened
	indexed        bool   // a model whose vectors a server searches was opened
	cut            bool   // a model with a single vector per text was opened
	prompted       bool   // the model was opened with prompts of its folder
	compared       bool   // a model was opened whose results depend on Similarity
	answers        string // folder for the answers of a language model
	Candidates     bool   // the model scores the candidates of each query

	// Divide replaces retrievers that can rank single shards of a corpus, so that the joined
	// rankings equal those of the complete corpus; nil replaces none.
	Divide func(runners.Retriever) runners.Retriever
	second bool // the next model ranks documents that another finds, so it is not divided
}

// Open makes the retriever that the options describe.
func (m *Opener) Open() (runners.Retriever, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	model, err := m.retriever(m.Model)
	if err != nil {
		return nil, err
	}
	parts := []runners.Part{{Retriever: model, Weight: 1}}
	for _, name := range m.Fuse {
		other, err := m.retriever(name)
		if err != nil {
			return nil, fmt.Errorf("--fuse: %w", err)
		}
		parts = append(parts, runners.Part{Retriever: other, Weight: 1})
	}
	if m.First != "" && m.pairs == "" && !m.staged {
		return nil, usage.Errorf("--first %s: %s finds documents by itself; only cross-encoders, language models with a judge section in infbench.json (prompt with {query} and {document}, yes, no) and late-interaction models have a first stage", m.First, m.Model)
	}
	if form := m.storageForm(); form != codes.Float32 && !m.stored {
		return nil, usage.Errorf("--storage %s: %s has no token vectors; only late-interaction models have them", form, m.Model)
	}
	if err := errors.Join(m.checkIndex(), m.checkPrompts()); err != nil {
		return nil, err
	}
	if m.Similarity != "" && !m.compared {
		m.Remarks = append(m.Remarks, fmt.Sprintf("similarity %s changes nothing: %s uses it by default or does not compare vectors", m.Similarity, strings.Join(m.models(), ", ")))
	}
	if len(parts) == 1 {
		return model, nil
	}
	return runners.NewRRF(runners.RRFConstant, RetrieveDepth, parts...), nil
}

// CheckDims returns an error if vectors should be cut but no opened model has a single vector
// per text.
func (m *Opener) CheckDims() error {
	if m.Dims > 0 && !m.cut {
		return usage.Errorf("--dims %d: %s has no single vector per text that could be cut", m.Dims, m.Model)
	}
	return nil
}

// CheckTasks returns an error for tasks that the opened models cannot rank.
func (m *Opener) CheckTasks(b *datasets.Benchmark) error {
	for i := range b.Tasks {
		if m.Candidates && b.Tasks[i].Candidates == nil {
			return usage.Errorf("%s scores pairs, but task %s/%s has no candidates: let another model find some, as with --first bm25 --depth 100",
				m.pairs, b.Name, b.Tasks[i].Name)
		}
	}
	for _, run := range m.runFiles {
		if warning := run.WarnOf(b); warning != "" {
			m.Remarks = append(m.Remarks, warning)
		}
	}
	return nil
}

// retriever opens one model; a model that scores pairs gets the first stage.
func (m *Opener) retriever(name string) (runners.Retriever, error) {
	if name == chatModel {
		return m.openChat()
	}
	if isWeightless(name) {
		return m.finder(name)
	}
	w, err := findWeights(name)
	if err != nil {
		return nil, err
	}
	pairs, err := w.scoresPairs()
	if err != nil {
		return nil, err
	}
	if !pairs {
		return m.afterFirst(&w, name)
	}
	reranker, err := m.reranker(&w)
	if err != nil {
		return nil, err
	}
	m.pairs = w.name
	exact := runners.NewRerank(nil, reranker, 0)
	if m.First == "" {
		m.Candidates = true
		return m.Narrow(m.Precision, exact, exact, reranker.model.SetPrecision)
	}
	first, err := m.finder(m.First)
	if err != nil {
		return nil, fmt.Errorf("--first: %w", err)
	}
	return m.Narrow(m.Precision, runners.NewRerank(first, reranker, m.Depth), exact, reranker.model.SetPrecision)
}

// afterFirst opens a model that finds documents by itself. A late-interaction model ranks the
// documents of the first stage, if there is one.
func (m *Opener) afterFirst(w *catalogWeights, name string) (runners.Retriever, error) {
	m.second = m.First != "" && name == m.Model && encoder.IsMultiVector(w.path)
	defer func() { m.second = false }()
	model, err := m.found(w)
	if err != nil || !m.second {
		return model, err
	}
	m.second = false
	first, err := m.finder(m.First)
	if err != nil {
		return nil, fmt.Errorf("--first: %w", err)
	}
	m.staged = true
	return runners.NewRestricted(first, model, m.Depth), nil
}

// finder opens a model that finds documents by itself.
func (m *Opener) finder(name string) (runners.Retriever, error) {
	switch {
	case name == chatModel:
		return nil, usage.Errorf("--first %s scores pairs: name a model that finds documents, such as bm25", name)
	case name == remoteModel:
		return m.openRemote()
	case isWeightless(name):
		model, err := OpenBaseline(name, m.Seed)
		return m.Divided(model), err
	}
	w, err := findWeights(name)
	if err != nil {
		return nil, err
	}
	if pairs, err := w.scoresPairs(); err != nil || pairs {
		if err == nil {
			err = usage.Errorf("--first %s scores pairs: name a model that finds documents, such as bm25", w.name)
		}
		return nil, err
	}
	return m.found(&w)
}

// Divided divides a retriever, if Divide is set. The retriever must score each document by
// itself, or by statistics of the complete corpus.
func (m *Opener) Divided(model runners.Retriever) runners.Retriever {
	if m.Divide == nil || m.second || model == nil {
		return model
	}
	return m.Divide(model)
}

// found opens the files of a model that finds documents by itself.
func (m *Opener) found(w *catalogWeights) (runners.Retriever, error) {
	if info, err := disk.Stat(w.path); err != nil || !info.IsDir() {
		if err := errors.Join(err, m.readRun(w.path)); err != nil {
			return nil, err
		}
		run, err := runners.OpenRunFile(w.path)
		if err != nil {
			return nil, err
		}
		m.runFiles, m.Remarks = append(m.runFiles, run), append(m.Remarks, run.Warnings...)
		return run, nil
	}
	switch {
	case encoder.IsMultiVector(w.path):
		return m.late(w)
	case encoder.IsSparse(w.path), m.Similarity == encoder.Sparsely:
		return m.sparse(w)
	}
	return m.dense(w)
}

// dense opens a HuggingFace folder as a dense retriever.
func (m *Opener) dense(w *catalogWeights) (runners.Retriever, error) {
	kind, err := m.similarityOf(w.path)
	if err != nil {
		return nil, err
	}
	enc, kept, err := m.encoder(w, kind)
	if err != nil {
		return nil, err
	}
	if usual, err := w.similarity(); err != nil || usual != kind {
		m.compared = true
	}
	found, err := m.finding(w.name, kept, kind, func() (string, error) {
		from, err := w.source()
		if err != nil {
			return "", err
		}
		return fingerprint(from, enc, m.Device)
	})
	if err != nil {
		return nil, err
	}
	exact, err := m.newDense(w.name, enc, kind)
	if err != nil {
		return nil, err
	}
	return m.Narrow(m.Precision, found, exact, enc.SetPrecision)
}

// encoder opens a HuggingFace folder for its vectors; inner products are of vectors as pooled.
// kept is the encoder with a cache, if there is one.
func (m *Opener) encoder(w *catalogWeights, kind runners.Similarity) (enc *encoder.Encoder, kept runners.Encoder, err error) {
	if err := m.openBackend(); err != nil {
		return nil, nil, err
	}
	if enc, err = w.open(m.backend); err != nil {
		return nil, nil, err
	}
	if err := enc.SetPrecision(m.Precision); err != nil {
		return nil, nil, err
	}
	if kind == runners.Dot {
		enc.LeaveUnnormalized()
	}
	if m.Dims > 0 {
		enc.LeaveWhole()
	}
	if m.QueryPrompt+m.DocumentPrompt != "" && w.name == called(m.Model) {
		m.prompted = true
		if err := enc.UsePrompts(w.network(), m.QueryPrompt, m.DocumentPrompt); err != nil {
			return nil, nil, usage.Error{Err: err}
		}
	}
	if err := m.noteCard(w, enc.Remarks()); err != nil {
		return nil, nil, err
	}
	config := enc.Config()
	if note := config.OtherReading(); note != "" && m.Similarity == "" {
		m.Remarks = append(m.Remarks, "model "+w.name+": "+note)
	}
	enc.SetBatching(m.Batching())
	if err := m.readFolder(w); err != nil {
		return nil, nil, err
	}
	kept, err = m.Keep(enc, m.CacheFolder(), m.Device, w.source)
	return enc, kept, err
}

// network is the folder of the network; for an adapter, that of its base model.
func (w *catalogWeights) network() string {
	if w.base != nil {
		return w.base.path
	}
	return w.path
}

// checkPrompts returns an error for prompt names if the model has no named prompts.
func (m *Opener) checkPrompts() error {
	if m.QueryPrompt+m.DocumentPrompt != "" && !m.prompted {
		return m.noPrompts()
	}
	return nil
}

func (o *ModelOptions) noPrompts() error {
	return usage.Errorf("query_prompt %q, document_prompt %q: %s has no named prompts; only folders of models with one vector per text have them", o.QueryPrompt, o.DocumentPrompt, o.Model)
}

// open reads the weights, with an adapter merged into its base.
func (w *catalogWeights) open(backend compute.Backend) (*encoder.Encoder, error) {
	if w.base != nil {
		return w.card.OpenAdapted(w.base.path, w.path, backend)
	}
	return w.card.Open(w.path, backend)
}

func (m *Opener) newDense(name string, enc runners.Encoder, kind runners.Similarity) (runners.Retriever, error) {
	narrow, err := runners.Shorten(enc, m.Dims)
	if err != nil {
		return nil, usage.Error{Err: fmt.Errorf("model %s: %w", name, err)}
	}
	m.cut = true
	return runners.NewDense(name, narrow, m.Options.Dense(kind)), nil
}

// openBackend opens the backend that all models of the evaluation share.
func (m *Opener) openBackend() (err error) {
	if m.backend == nil {
		m.backend, err = m.Options.Open()
	}
	return err
}

// OpenBaseline makes a model that needs no weights.
func OpenBaseline(name string, seed int64) (runners.Retriever, error) {
	if b, ok := spec.FindBaseline(name); ok && b.Open != nil {
		return b.Open(seed)
	}
	return nil, unknownModel(name)
}
