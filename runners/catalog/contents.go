package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/runners/spec"
)

// fetched is a repository in the hub cache.
type fetched struct {
	name, dir string // "dataset ORG/NAME@COMMIT"
	model     bool
}

// HoldContents records in a plan the contents of the hub repositories that its trials read. It
// returns an error if they differ from those of the earlier plan of the same run folder (nil:
// none).
func HoldContents(plan, old *spec.Plan) error {
	var all []spec.Content
	inputs, repos := map[string]bool{}, map[string]bool{}
	for i := range plan.Trials {
		for _, in := range readBy(&plan.Trials[i]) {
			if inputs[in] {
				continue
			}
			inputs[in] = true
			for _, repo := range fetchedAs(in) {
				if repos[repo.name] {
					continue
				}
				repos[repo.name] = true
				c, err := repo.content()
				if err != nil {
					return err
				}
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b spec.Content) int { return strings.Compare(a.Of, b.Of) })
	return plan.Hold(all, old)
}

// CheckContents returns an error if hub repositories have changed since the plan of a trial was
// made.
func CheckContents(t *spec.Trial) error {
	for _, repo := range fetchedOf(t) {
		if t.ContentSum(repo.name) == "" {
			continue
		}
		now, err := repo.content()
		if err != nil {
			return err
		}
		if err := t.CheckContent(now); err != nil {
			return err
		}
	}
	return nil
}

// ContentSums returns the content hashes of the repositories that a trial reads, as of its
// plan.
func ContentSums(t *spec.Trial) map[string]string {
	found := map[string]string{}
	for _, repo := range fetchedOf(t) {
		if sum := t.ContentSum(repo.name); sum != "" {
			found[repo.name] = sum
		}
	}
	return found
}

// readBy names the inputs of a trial: models after spec.ModelInput, and data.
func readBy(t *spec.Trial) (names []string) {
	for _, r := range t.Revisions {
		for _, kind := range []string{spec.BackboneInput, spec.ModelInput} {
			if name, ok := strings.CutPrefix(r.Name, kind); ok {
				names = append(names, spec.ModelInput+name)
			}
		}
	}
	names = append(names, t.Cell.Reads()...)
	for _, entry := range append(slices.Clone(t.Evaluate), t.Cell.Validate.Data) {
		name, _ := spec.TasksOf(entry)
		names = append(names, name)
	}
	return names
}

// fetchedOf lists the repositories that a trial reads.
func fetchedOf(t *spec.Trial) (all []fetched) {
	for _, name := range readBy(t) {
		all = append(all, fetchedAs(name)...)
	}
	return all
}

// fetchedAs lists the hub repositories behind a name from readBy that are on this machine.
// Missing ones are reported when they are opened.
func fetchedAs(name string) []fetched {
	if model, ok := strings.CutPrefix(name, spec.ModelInput); ok {
		return fetchedModel(model)
	}
	return fetchedData(name)
}

// fetchedModel is the repository of a model and, for an adapter, that of its base model.
func fetchedModel(name string) (all []fetched) {
	w, err := namedWeights(name)
	if err != nil {
		return nil
	}
	for at := &w; at != nil; at = at.base {
		if at.commit != "" {
			all = append(all, fetched{"model " + at.name + "@" + at.commit, at.path, true})
		}
	}
	return all
}

// fetchedData are the repositories of a benchmark or of training data.
func fetchedData(name string) (all []fetched) {
	if lock, err := hub.ReadLock(hub.LockFile); err != nil {
		return nil
	} else if _, imported := lock.Folder(name); imported {
		return nil // its files are checked by other code
	}
	if _, err := disk.Stat(name); err == nil {
		return nil
	}
	repos, err := Repositories(name)
	if err != nil {
		return nil
	}
	for _, r := range repos {
		if dir, commit, err := lookUp(hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision}); err == nil {
			all = append(all, fetched{"dataset " + r.ID + "@" + commit, dir, false})
		}
	}
	return all
}

// content hashes the files that may be read.
func (r fetched) content() (spec.Content, error) {
	files, err := listFiles(r.dir)
	if err != nil {
		return spec.Content{}, err
	}
	if r.model {
		files = ModelFiles(files)
	}
	c := spec.Content{Of: r.name}
	for _, name := range files {
		if !r.model && isAbout(name) {
			continue
		}
		sum, err := contentOf(filepath.Join(r.dir, filepath.FromSlash(name)))
		if errors.Is(err, os.ErrNotExist) {
			continue // a link to nothing; reading it reports that
		}
		if err != nil {
			return spec.Content{}, err
		}
		c.Files = append(c.Files, spec.Revision{Name: name, Revision: sum})
	}
	return c, nil
}

// isAbout reports whether a file of a data set is never read.
func isAbout(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".md") || strings.HasPrefix(filepath.Base(name), ".")
}

// contentOf is the SHA-256 of a file. If the name in the cache is the hash, the file is hashed
// when it is opened.
func contentOf(path string) (string, error) {
	target, err := os.Readlink(path)
	if name := filepath.Base(target); err == nil && filepath.Base(filepath.Dir(target)) == "blobs" && len(name) == 64 {
		return "sha256:" + name, nil
	}
	sum, err := disk.HashOf(path, disk.HashSHA256)
	return "sha256:" + sum, err
}
