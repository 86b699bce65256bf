package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets/hub"
	"infbench/metrics/nearest"
	"infbench/training/encoder"
)

// A backbone is a network that infbench makes itself, a HuggingFace folder, or
// ORG/NAME or ORG/NAME@REVISION of a model of the hub, which is read from the hub
// cache. Without a revision it is the one of the model's card, else what was
// fetched last.

// CheckBackbone says whether a name can be a backbone. A model of the hub need not
// have been fetched yet if there is a card of it.
func CheckBackbone(name string) error {
	if slices.Contains(Backbones(), name) || isModelFolder(name) {
		return nil
	}
	cards, err := encoder.Cards()
	if err != nil {
		return err
	}
	names := Backbones()
	repo, named := HubModel(name)
	for _, c := range cards {
		if c.Kind != "encoder" || c.Repository == "" {
			continue
		}
		if named && c.Repository == repo.ID {
			return nil
		}
		names = append(names, c.Repository)
	}
	if named {
		if _, _, err := locate(repo); err == nil {
			return nil
		}
	}
	return nearest.Unknown("backbone", name, append(names, "a HuggingFace folder"))
}

// HubModel reads ORG/NAME[@REVISION]; ok is false for what cannot be one.
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

// locate finds a repository in the hub cache.
func locate(repo hub.Repo) (dir, commit string, err error) {
	cache, err := hub.DefaultCache()
	if err != nil {
		return "", "", err
	}
	return (&hub.Client{Cache: cache}).Local(repo)
}

// isModelFolder says whether path looks like a HuggingFace model folder, or one
// that holds separate encoders.
func isModelFolder(path string) bool {
	for _, name := range []string{"config.json", "query_encoder/config.json"} {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return true
		}
	}
	return false
}

// BackboneFolder finds the folder of a backbone that is read from one; "" for a
// network that infbench makes.
func BackboneFolder(name string) (string, error) {
	if isModelFolder(name) {
		return name, nil
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
		return "", absent{what: "backbone " + name, get: "infbench models fetch " + usage.Quote(name)}
	}
	return dir, nil
}

// backboneRevision pins the weights of a backbone: by the commit of a model of the
// hub, by the hash of a folder's files; "" for a network that infbench makes, which
// the cell describes in full.
func backboneRevision(name string) (string, error) {
	folder, err := BackboneFolder(name)
	if err != nil || folder == "" {
		return "", err
	}
	if folder != name {
		return filepath.Base(folder), nil // snapshots are named by their commit
	}
	return HashModelFiles(folder)
}

// CheckWeights refuses a backbone that is not what the plan was made with.
func CheckWeights(t *spec.Trial) error {
	name := spec.BackboneInput + t.Cell.Backbone
	i := slices.IndexFunc(t.Revisions, func(r spec.Revision) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	now, err := backboneRevision(t.Cell.Backbone)
	if err != nil {
		return err
	}
	return checkRevision(t, name, now)
}

// absent is something that an experiment names and that is not on this machine.
type absent struct{ what, get string }

func (a absent) Error() string { return fmt.Sprintf("%s is not on this machine: %s", a.what, a.get) }
func (a absent) Unwrap() error { return fs.ErrNotExist }

// Gaps resolves as revisions does, but goes on where something is absent and
// remembers it.
type Gaps struct {
	Found   Revisions
	Missing []absent
}

// unresolved stands for the revision of what is absent.
const unresolved = "absent"

func (g *Gaps) Resolve(name string, world uint64) (string, error) {
	rev, err := g.Found.Resolve(name, world)
	var gap absent
	if !errors.As(err, &gap) {
		return rev, err
	}
	g.Missing = append(g.Missing, gap)
	g.Found[revisionKey(name, world)] = unresolved
	return unresolved, nil
}

// Err lists all that is absent.
func (g *Gaps) Err() error {
	var errs []error
	for _, gap := range g.Missing {
		errs = append(errs, gap)
	}
	return errors.Join(errs...)
}

// IsResolved says whether all that a trial reads is there.
func IsResolved(t *spec.Trial) bool {
	return !slices.ContainsFunc(t.Revisions, func(r spec.Revision) bool { return r.Revision == unresolved })
}
