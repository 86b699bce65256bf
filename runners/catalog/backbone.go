package catalog

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"infbench/datasets/hub"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// A backbone is a network that infbench makes itself, a HuggingFace folder, or ORG/NAME or
// ORG/NAME@REVISION of a model of the hub, which is read from the hub cache. Without a revision
// it is the revision of the model's card, or else the one fetched last.

// CheckBackbone returns an error if a name cannot be a backbone. A model of the hub need not
// have been fetched yet if it has a card.
func CheckBackbone(name string) error {
	if slices.Contains(Backbones(), name) {
		return nil
	}
	if isModelFolder(name) {
		return checkTrainable(name, encoder.IsMultiVector(name), encoder.IsSparse(name))
	}
	cards, err := encoder.Cards()
	if err != nil {
		return err
	}
	names := Backbones()
	repo, named := HubModel(name)
	for _, c := range cards {
		if named && c.Repository == repo.ID {
			if err := checkTrainable(name, c.Kind == encoder.KindLate, c.Kind == encoder.KindSparse); err != nil {
				return err
			}
		}
		if c.Kind != "encoder" || c.Repository == "" {
			continue
		}
		if named && c.Repository == repo.ID {
			return nil
		}
		names = append(names, c.Repository)
	}
	if named {
		if _, _, err := locate(repo); err == nil || errors.Is(err, hub.ErrDamaged) {
			return nil // damage is reported when it is read
		}
	}
	err = nearest.Unknown("backbone", name, append(names, "a HuggingFace folder"))
	if named {
		return fmt.Errorf("%w; infbench models fetch %s fetches a model of the hub", err, usage.Quote(name))
	}
	return err
}

// checkTrainable returns an error for models that can only be evaluated.
func checkTrainable(name string, isLate, isSparse bool) error {
	switch {
	case isLate:
		return fmt.Errorf("backbone %s is a late-interaction model, which infbench cannot train: use it as a baseline", name)
	case isSparse:
		return fmt.Errorf("backbone %s is a sparse model, which infbench cannot train: use it as a baseline", name)
	}
	return nil
}

// HubModel parses ORG/NAME[@REVISION]; ok is false for other names.
func HubModel(name string) (repo hub.Repo, ok bool) {
	id, revision, _ := strings.Cut(name, "@")
	repo = hub.Repo{Kind: hub.Model, ID: id, Revision: revision}
	if strings.Count(id, "/") != 1 || repo.Check() != nil {
		return hub.Repo{}, false
	}
	if card, err := encoder.CardOf(id); err == nil && revision == "" {
		repo.Revision = card.Revision
	}
	return repo, true
}

// HubBackbone returns the repository of a backbone that is read from the hub cache; ok is false for
// a folder and for a network that infbench makes.
func HubBackbone(name string) (repo hub.Repo, ok bool) {
	if isModelFolder(name) || slices.Contains(Backbones(), name) {
		return hub.Repo{}, false
	}
	return HubModel(name)
}

// A locator finds a repository in the hub cache.
type locator func(hub.Repo) (dir, commit string, err error)

// locate is the locator for repositories that will be read: it hashes every file.
func locate(repo hub.Repo) (dir, commit string, err error) {
	cache, err := hub.DefaultCache()
	if err != nil {
		return "", "", err
	}
	return (&hub.Client{Cache: cache}).Local(repo)
}

// lookUp is the locator for repositories that are only named, or were located before.
func lookUp(repo hub.Repo) (dir, commit string, err error) {
	cache, err := hub.DefaultCache()
	if err != nil {
		return "", "", err
	}
	return (&hub.Client{Cache: cache}).Find(repo)
}

// FetchedBase is the repository of the base model of a fetched adapter; nil if the model is not
// an adapter.
func FetchedBase(repo hub.Repo) (*hub.Repo, error) {
	dir, _, err := locate(repo)
	if err != nil || !encoder.IsAdapter(dir) {
		return nil, err
	}
	name, err := BaseOf(repo.ID, dir)
	if err != nil {
		return nil, err
	}
	base, ok := HubModel(name)
	if !ok {
		return nil, fmt.Errorf("%s: the adapter is merged into %s, which is not a repository of the hub", repo, name)
	}
	return &base, nil
}

// isModelFolder reports whether path looks like a HuggingFace model folder, a
// sentence-transformers folder, which need not have config.json (tables of word vectors), or a
// folder of separate encoders.
func isModelFolder(path string) bool {
	for _, name := range []string{"config.json", "modules.json", "query_encoder/config.json", "router_config.json"} {
		if _, err := disk.Stat(filepath.Join(path, name)); err == nil {
			return true
		}
	}
	return false
}

// BackboneFolder finds the folder of a backbone; "" for a network that infbench makes.
func BackboneFolder(name string) (string, error) {
	if isModelFolder(name) {
		return name, results.Hold(name)
	}
	if slices.Contains(Backbones(), name) {
		return "", nil
	}
	repo, ok := HubModel(name)
	if !ok {
		return "", CheckBackbone(name)
	}
	dir, _, err := locate(repo)
	if err != nil {
		return "", absentOr(err, absent{what: "backbone " + name, get: "infbench models fetch " + usage.Quote(name)})
	}
	return dir, nil
}

// AdapterBase names a backbone for an adapter in the folder dir: a path relative to dir, or
// ORG/NAME and its commit.
func AdapterBase(backbone, dir string) (name, revision string, err error) {
	folder, err := BackboneFolder(backbone)
	if err != nil {
		return "", "", err
	}
	if repo, ok := HubBackbone(backbone); ok {
		return repo.ID, filepath.Base(folder), nil // the name of a snapshot is its commit
	}
	name, err = filepath.Rel(filepath.Join(disk.RealPath(filepath.Dir(dir)), filepath.Base(dir)), disk.RealPath(folder))
	if name = filepath.ToSlash(name); err == nil && !strings.HasPrefix(name, ".") {
		name = "./" + name
	}
	return name, "", err
}

// OpenTrained opens a model that was trained here, an adapter with its base.
func OpenTrained(folder string, backend compute.Backend) (*encoder.Encoder, error) {
	if !encoder.IsAdapter(folder) {
		return encoder.Open(folder, backend)
	}
	w, err := findWeights(folder)
	if err != nil {
		return nil, err
	}
	return w.open(backend)
}

// NetworkFolder is like BackboneFolder for backbones and models of baselines. For an adapter it
// returns the folder of its base model.
func NetworkFolder(name string) (string, error) {
	if slices.Contains(Backbones(), name) {
		return "", nil
	}
	if w, err := findWeights(name); err == nil && w.base != nil {
		return w.base.path, nil
	}
	return BackboneFolder(name)
}

// Backbones lists the networks that infbench can make itself.
func Backbones() []string { return slices.Sorted(maps.Keys(encoder.Tiny())) }

// TinyVocabulary is the vocabulary size of tiny backbones: all words of the generated world,
// and single characters for everything else.
const TinyVocabulary = 2000

// NewBackbone makes the encoder that a cell starts from and loads its training data. The
// vocabulary of a tiny backbone has the words of these data.
func NewBackbone(c *spec.Cell, m device.Options) (*encoder.Encoder, mixture.Data, error) {
	backend, err := m.Open()
	if err != nil {
		return nil, nil, err
	}
	data, err := LoadData(c)
	if err != nil {
		return nil, nil, fmt.Errorf("load training data %s: %w", c.Data, err)
	}
	enc, err := openBackbone(c, data, backend)
	if err != nil {
		return nil, nil, err
	}
	if err := enc.SetInteraction(encoder.Interaction(c.Interaction)); err != nil {
		return nil, nil, fmt.Errorf("backbone %s: %w", c.Backbone, err)
	}
	if err := enc.Apply(c.Design); err != nil {
		return nil, nil, fmt.Errorf("backbone %s: design: %w", c.Backbone, err)
	}
	enc.SetBatching(m.Batching())
	return enc, data, nil
}

// openBackbone opens a backbone's folder, or makes a tiny one with random weights and the words
// of its training data.
func openBackbone(c *spec.Cell, data mixture.Data, backend compute.Backend) (*encoder.Encoder, error) {
	folder, err := BackboneFolder(c.Backbone)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		return encoder.Open(folder, backend)
	}
	tok, err := tokenizer.BuildWordPiece(Texts(data), TinyVocabulary)
	if err != nil {
		return nil, fmt.Errorf("build vocabulary: %w", err)
	}
	return encoder.New(encoder.Tiny()[c.Backbone], tok, c.Seed, backend)
}
