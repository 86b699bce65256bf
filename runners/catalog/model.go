package catalog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// catalogWeights is a model that is read from files.
type catalogWeights struct {
	name   string          // its name in rows: ORG/NAME if it was fetched, else its path
	path   string          // path of a HuggingFace folder or a run file
	commit string          // commit, if it was fetched
	base   *catalogWeights // base model of an adapter
	card   *encoder.Card   // nil: there is none, or the folder's own infbench.json replaces it
	files  string          // hash of a folder's files, "" until needed
}

// findWeights finds the files of a model by its path, by ORG/NAME[@REVISION] or by its card's
// name. It checks that a trial's model has not changed. The error is an absent if the model
// must be fetched.
func findWeights(name string) (catalogWeights, error) {
	w, err := locator(locate).weights(name)
	for _, part := range []*catalogWeights{&w, w.base} {
		if part == nil || part.path == "" {
			continue
		}
		if err := results.Hold(part.path); err != nil {
			return catalogWeights{}, fmt.Errorf("model %s: %w", part.name, err)
		}
	}
	return w, err
}

// namedWeights is findWeights for a model that is only named, or was found before.
func namedWeights(name string) (catalogWeights, error) { return locator(lookUp).weights(name) }

func (find locator) weights(name string) (catalogWeights, error) {
	w, err := find.files(name)
	if err != nil {
		return w, err
	}
	return find.withBase(w)
}

// files finds weights without the base model of an adapter.
func (find locator) files(name string) (catalogWeights, error) {
	info, missing := disk.Stat(name)
	if missing == nil {
		return weightsAt(name, info.IsDir())
	}
	if isLocal(name) {
		return catalogWeights{}, fmt.Errorf("open model: %w", missing)
	}
	repository, err := repositoryOf(name)
	if err != nil {
		return catalogWeights{}, err
	}
	repo, _ := HubModel(repository)
	dir, commit, err := find(repo)
	if err != nil {
		return catalogWeights{}, absentOr(err, absent{what: "model " + name + nearCard(repository), get: "infbench models fetch " + usage.Quote(repository)})
	}
	return catalogWeights{name: repository, path: dir, commit: commit, card: cardOf(repo.ID)}, nil
}

// withBase finds the base model of an adapter: the one in its card, or else in its own
// configuration. The error is an absent if the base must be fetched.
func (find locator) withBase(w catalogWeights) (catalogWeights, error) {
	if !encoder.IsAdapter(w.path) {
		return w, nil
	}
	name, err := BaseOf(w.name, w.path)
	if err != nil {
		return w, fmt.Errorf("model %s: %w", w.name, err)
	}
	base, err := find.files(besideAdapter(w.path, name))
	if gap := (absent{}); errors.As(err, &gap) {
		return w, absent{what: fmt.Sprintf("model %s, which the adapter %s is merged into,", name, w.name), get: gap.get}
	}
	if err == nil && (encoder.IsAdapter(base.path) || !isModelFolder(base.path)) {
		err = fmt.Errorf("%s is not a model folder", name)
	}
	if err != nil {
		return w, fmt.Errorf("model %s: its base model: %w", w.name, err)
	}
	w.base = &base
	return w, nil
}

// besideAdapter returns the path of a base model that an adapter names relative to its own folder
// ("../base"), or else the name.
func besideAdapter(adapter, name string) string {
	if strings.HasPrefix(name, ".") {
		if path := filepath.Join(disk.RealPath(adapter), name); isModelFolder(path) {
			return disk.ShortPath(path)
		}
	}
	return name
}

// BaseOf names the base model of the adapter in a folder, with a revision if there is one: from
// the card for its name, or else from its configuration.
func BaseOf(name, dir string) (string, error) {
	id, _, _ := strings.Cut(name, "@")
	base, revision, err := "", "", error(nil)
	if card, unknown := encoder.CardOf(id); unknown == nil && card.Base != "" {
		base, revision = card.Base, card.BaseRevision
	} else if base, revision, err = encoder.AdapterBase(dir); err != nil {
		return "", err
	}
	if _, ok := HubModel(base); ok && revision != "" {
		return base + "@" + revision, nil
	}
	return base, nil
}

// Found is a model that is read from files on this machine.
type Found struct {
	Folder string
	Base   string        // folder of an adapter's base model, "" if that is not here
	Into   string        // name of an adapter's base model
	Card   *encoder.Card // nil: none
}

// FindModel finds the folder of a model by its path, by ORG/NAME[@REVISION] or by its card's
// name. If it is not here, the error explains how to fetch it.
func FindModel(name string) (Found, error) {
	w, err := findWeights(name)
	if w.path == "" {
		return Found{}, err
	}
	f := Found{Folder: w.path, Card: w.card}
	if w.base != nil {
		f.Base = w.base.path
	}
	if encoder.IsAdapter(w.path) {
		f.Into, err = BaseOf(w.name, w.path)
		return f, err
	}
	return f, nil
}

// isLocal reports whether a name can only be on this machine: a path that is not ORG/NAME, or
// that is within an existing folder.
func isLocal(name string) bool {
	if _, ok := HubModel(name); !ok {
		return usage.IsPath(name)
	}
	above, err := disk.Stat(filepath.Dir(name))
	return err == nil && above.IsDir()
}

// weightsAt is the model at a path. A snapshot in the hub cache belongs to its repository.
func weightsAt(path string, isFolder bool) (catalogWeights, error) {
	w := catalogWeights{name: modelName(path), path: path}
	if !isFolder {
		return w, nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return w, err
	}
	if repository, commit := spec.Snapshot(full); commit != "" {
		w.name, w.commit, w.card = repository, commit, cardOf(repository)
	}
	return w, nil
}

// cardOf is the card of a repository; nil if there is none.
func cardOf(repository string) *encoder.Card {
	card, err := encoder.CardOf(repository)
	if err != nil || !card.InFolder() {
		return nil
	}
	return &card
}

// repositoryOf returns ORG/NAME[@REVISION] unchanged, or the repository of a card's name.
func repositoryOf(name string) (string, error) {
	card, err := encoder.CardOf(name)
	switch {
	case err != nil && strings.Count(name, "/") == 1:
		if _, ok := HubModel(name); ok {
			return name, nil
		}
		return "", unknownModel(name)
	case err != nil:
		return "", unknownModel(name)
	case card.Kind == "remote":
		api, model, _ := strings.Cut(card.Repository, "/")
		return "", usage.Errorf("model %s is behind an interface: {remote: {api: %s, model: %s, dim: ...}} in an experiment, evaluate --model %s --remote-api %s --remote-model %s --dim ...",
			card.Name, api, model, remoteModel, api, model)
	case card.Repository == "" && card.Name != name:
		return "", unknownModel(name)
	case card.Repository == "":
		return "", usage.Errorf("model %s has no repository on the hub: its card names none (%s)", card.Name, cmp.Or(card.Notes, "and does not give a reason"))
	}
	return card.Repository, nil
}

// unknownModel is the error for an unknown model, with all kinds of models.
func unknownModel(name string) error {
	known := append(spec.ReadyBaselines(), remoteModel, chatModel)
	for _, c := range fetchable() {
		known = append(known, c.Name)
	}
	return nearest.Unknown("model", name, append(known, "ORG/NAME of the hub", "a HuggingFace folder", "a TREC run file"))
}

// fetchable lists the cards of models that have a repository.
func fetchable() []encoder.Card {
	cards, err := encoder.Cards()
	if err != nil {
		return nil // cards are embedded, and a test reads them
	}
	return slices.DeleteFunc(cards, func(c encoder.Card) bool {
		return c.Repository == "" || !c.InFolder()
	})
}

// nearCard suggests the repository of a card with a similar name.
func nearCard(repository string) string {
	var known []string
	for _, c := range fetchable() {
		known = append(known, c.Repository)
	}
	id, _, _ := strings.Cut(repository, "@")
	if near, ok := nearest.Of(id, known); ok && !strings.EqualFold(near, id) {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// scoresPairs reports whether the model reads query and document together. An adapter does what
// its base model does, unless its own folder has a judge section.
func (w *catalogWeights) scoresPairs() (bool, error) {
	pairs, err := ScoresPairs(w.path)
	if err == nil && !pairs && w.base != nil {
		pairs, err = ScoresPairs(w.base.path)
	}
	return pairs || w.carded() && w.card.Kind == "reranker", err
}

// carded reports whether texts are processed by the card.
func (w *catalogWeights) carded() bool { return w.card.Over(w.path) }

// cardMark identifies a card by its settings for texts.
func (w *catalogWeights) cardMark() (string, error) {
	if !w.carded() {
		return "", nil
	}
	settings, err := w.card.Settings()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s@%.12s", w.card.Name, disk.Sum(string(settings)+w.card.Similarity)), nil
}

// revision pins the files: by the commit, or else by the hash of their contents, and for an
// adapter also its base model.
func (w *catalogWeights) revision() (string, error) {
	own, err := w.ownRevision()
	if err != nil || w.base == nil {
		return own, err
	}
	below, err := w.base.ownRevision()
	return own + "+" + below, err
}

func (w *catalogWeights) ownRevision() (string, error) {
	if w.commit != "" {
		return w.commit, nil
	}
	if info, err := disk.Stat(w.path); err == nil && info.IsDir() {
		return w.hash()
	}
	sum, _, err := disk.SHA256(w.path)
	return "sha256:" + sum, err
}

// isWeightless reports whether a model is neither read from files nor trained here.
func isWeightless(name string) bool {
	b, ok := spec.FindBaseline(name)
	return ok && b.Open != nil || name == remoteModel || name == chatModel
}

// called is the name of a model in rows; if it cannot be found, the given name.
func called(name string) string {
	if isWeightless(name) {
		return name
	}
	if w, err := namedWeights(name); err == nil && w.commit != "" {
		return w.name
	}
	return modelName(name)
}

// modelName is the canonical name of a model or backbone: its canonical path, or its name if it
// is not a file or folder. A folder in the working folder with the name of something that
// infbench makes keeps its "./".
func modelName(name string) string {
	isMade := func(name string) bool {
		_, baseline := spec.FindBaseline(name)
		return baseline || isWeightless(name) || name == spec.Trained || slices.Contains(Backbones(), name)
	}
	if isMade(name) {
		return name
	}
	if _, err := disk.Stat(name); err != nil {
		return name
	}
	short := disk.ShortPath(name)
	if isMade(short) {
		return "./" + short
	}
	return short
}

// checkModel classifies a model of an experiment file. A model of the hub need not have been
// fetched yet.
func checkModel(name string) (m spec.Model, err error) {
	if _, ok := spec.FindBaseline(name); ok {
		return spec.Model{Name: name, Finds: isWeightless(name), Weightless: true}, nil
	}
	w, err := findWeights(name)
	var gap absent
	switch {
	case errors.As(err, &gap) && w.path != "" && usage.IsPath(name): // an adapter on this machine
		return spec.Model{Name: modelName(name), Finds: true}, nil
	case errors.As(err, &gap):
		repository, err := repositoryOf(name)
		card, unknown := encoder.CardOf(repository)
		known := unknown == nil
		return spec.Model{Name: repository, Finds: known && card.Finds(), Pairs: known && card.Kind == encoder.KindReranker, Stages: known && card.Kind == encoder.KindLate}, err
	case err != nil:
		return m, err
	}
	m.Name = modelName(name)
	if w.commit != "" && !usage.IsPath(name) {
		m.Name = w.name // name from a card
	}
	if info, err := disk.Stat(w.path); err == nil && !info.IsDir() {
		m.Finds = true
		return m, nil
	}
	if w.base == nil && !isModelFolder(w.path) {
		return m, fmt.Errorf("%s is not a model folder: it has no config.json", name)
	}
	m.Pairs, err = w.scoresPairs()
	m.Finds, m.Stages = !m.Pairs, encoder.IsMultiVector(w.path)
	return m, err
}

// modelRevision pins a model unless it is a network that infbench makes; "" if there is nothing
// to pin.
func modelRevision(name string) (string, error) {
	if isWeightless(name) {
		return "", nil
	}
	w, err := findWeights(name)
	if err != nil {
		return "", err
	}
	return w.revision()
}

// cardRevision identifies the card that a model uses; "" if there is none, or the model is not
// here.
func cardRevision(name string) (string, error) {
	w, err := namedWeights(name)
	if err != nil {
		return "", nil // reported for the model itself
	}
	return w.cardMark()
}

// optionsOf are the options of evaluate for a trial's cell.
func optionsOf(c *spec.Cell) ModelOptions {
	o := ModelOptions{Model: c.Model, First: c.First, Depth: cmp.Or(c.Depth, spec.UsualDepth), Similarity: c.Similarity, Storage: c.Storage, Index: c.Index, Precision: c.Precision, Dims: c.Dims, Seed: c.Seed, QueryPrompt: c.QueryPrompt, DocumentPrompt: c.DocumentPrompt}
	o.Fuse = c.Fused()
	o.Remote.Remote, o.Language = c.Remote(), c.Chat
	return o
}

// checkRanking returns an error for invalid settings of a baseline that is a model, as far as
// they can be checked without the model.
func checkRanking(c *spec.Cell) error {
	if err := completeIndex(&c.Index); err != nil {
		return err
	}
	if c.Index.Engine != "" && c.Model != remoteModel && len(c.Weights()) == 0 {
		return fmt.Errorf("index: %s has no vectors that a server could keep", c.Model)
	}
	o := optionsOf(c)
	if err := o.checkRanking(); err != nil {
		return err
	}
	if o.QueryPrompt+o.DocumentPrompt != "" {
		if w, err := namedWeights(c.Model); err == nil { // otherwise it is not here yet
			return encoder.CheckPrompts(w.network(), o.QueryPrompt, o.DocumentPrompt)
		}
	}
	if c.Model != remoteModel {
		return nil
	}
	_, err := o.Remote.open()
	return err
}

// remoteRevision is a hash of the requests to an endpoint, as in evaluate.
func remoteRevision(described string) (string, error) {
	var r spec.Remote
	if err := json.Unmarshal([]byte(described), &r); err != nil {
		return "", fmt.Errorf("remote model: %w", err)
	}
	remote, err := (&RemoteOptions{Remote: r}).open()
	if err != nil {
		return "", err
	}
	return disk.Sum(remote.Fingerprint()), nil
}

// OfTrial sets up the opener for a trial without training and backbone; use limits requests to
// endpoints.
func (m *Opener) OfTrial(t *spec.Trial, use RemoteUse) {
	machine := m.Options
	m.ModelOptions = optionsOf(&t.Cell)
	if m.Options = machine; m.Model == remoteModel || m.Model == chatModel {
		m.Remote.RemoteUse = use
	}
	m.Remote.IndexURL = use.IndexURL
}

// noteCard records a model's card.
func (m *Opener) noteCard(w *catalogWeights, remarks []string) error {
	mark, err := w.cardMark()
	if err != nil {
		return err
	}
	if mark != "" {
		m.marks = append(m.marks, mark)
		m.Remarks = append(m.Remarks, fmt.Sprintf("model %s: texts are read as its card says (infbench models %s)", w.name, w.card.Name))
	}
	for _, r := range remarks {
		m.Remarks = append(m.Remarks, "model "+w.name+": "+r)
	}
	return nil
}
