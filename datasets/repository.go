package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// Repository is a folder in the layout of a dataset repository of the Hugging Face hub: named
// configs, each with splits, each of one or more files. Other loaders of this package read tasks
// from it. The README's front matter lists the files; without it the hub's conventions apply. If
// files differ only in their ending, the first by name is used.
type Repository struct {
	Dir     string
	configs map[string]map[string][]string // config -> split -> files in order
}

// OpenRepository lists the configs of the repository at dir.
func OpenRepository(dir string) (*Repository, error) {
	if info, err := disk.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	r := &Repository{Dir: dir, configs: map[string]map[string][]string{}}
	files, err := r.dataFiles()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range files {
		// FollowIR's and InfoSearch's older repositories repeat test.jsonl as test.tsv.
		if stem := dataFile.ReplaceAllString(name, ""); !seen[stem] {
			config, split := splitOfFile(name)
			r.add(config, split, name)
			seen[stem] = true
		}
	}
	return r, r.readCard(files)
}

// dataFile matches the names of data files, compressed or not.
var dataFile = regexp.MustCompile(`\.(parquet|(jsonl|json|ndjson|tsv|csv)(\.gz|\.zst)?)$`)

// IsDataFile reports whether a file of that name is a data file.
func IsDataFile(name string) bool { return dataFile.MatchString(name) }

// dataFiles lists the data files below the folder, slash-separated and sorted.
func (r *Repository) dataFiles() ([]string, error) {
	var files []string
	err := filepath.WalkDir(r.Dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(d.Name(), ".") && file != r.Dir; hidden && d.IsDir() {
			return filepath.SkipDir
		} else if hidden || d.IsDir() || !dataFile.MatchString(file) {
			return nil
		}
		name, err := filepath.Rel(r.Dir, file)
		files = append(files, filepath.ToSlash(name))
		return err
	})
	slices.Sort(files)
	return files, err
}

// shardEnding matches the part after the split in a split's file names.
var shardEnding = regexp.MustCompile(`-\d{5}-of-\d{5}(-[0-9a-f]+)?$`)

// numbered matches the file names of the hub's own conversions to parquet.
var numbered = regexp.MustCompile(`^\d{4}$`)

// splitOfFile returns config and split of a file by the hub's conventions:
// config/split-00000-of-00002.parquet, with "data" for the config "default", or
// config/split/0000.parquet as written by the hub's converter. A file at the top such as
// queries.jsonl is a config with one split of its name.
func splitOfFile(name string) (config, split string) {
	dir, split := path.Dir(name), shardEnding.ReplaceAllString(dataFile.ReplaceAllString(path.Base(name), ""), "")
	if parent := path.Dir(dir); numbered.MatchString(split) && parent != "." {
		return parent, path.Base(dir)
	}
	switch dir {
	case ".":
		return split, split
	case "data":
		return "default", split
	}
	return dir, split
}

func (r *Repository) add(config, split, name string) {
	splits := r.configs[config]
	if splits == nil {
		splits = map[string][]string{}
		r.configs[config] = splits
	}
	splits[split] = append(splits[split], filepath.Join(r.Dir, filepath.FromSlash(name)))
}

// card is the part of a README's front matter that maps configs to files.
type card struct {
	Configs []struct {
		Name  string    `yaml:"config_name"`
		Files yaml.Node `yaml:"data_files"`
		Dir   string    `yaml:"data_dir"` // base folder of the patterns; without patterns its files are found by convention
	} `yaml:"configs"`
}

// readCard replaces the conventional splits of the configs that the README describes.
func (r *Repository) readCard(files []string) error {
	readme := filepath.Join(r.Dir, "README.md")
	text, err := disk.ReadText(readme)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	front, found := strings.CutPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "---\n")
	front, _, closed := strings.Cut(front, "\n---")
	if !found || !closed {
		return nil
	}
	var c card
	if err := yaml.Unmarshal([]byte(front), &c); err != nil {
		return fmt.Errorf("%s: front matter: %w", readme, err)
	}
	for _, config := range c.Configs {
		splits, err := cardSplits(&config.Files)
		if err != nil {
			return fmt.Errorf("%s:%d: config %q: %w", readme, config.Files.Line+1, config.Name, err)
		}
		dir := strings.Trim(strings.TrimPrefix(config.Dir, "./"), "/")
		if len(splits) == 0 && dir != "" {
			splits = conventionalSplits(dir, files)
		}
		if len(splits) == 0 {
			continue
		}
		delete(r.configs, config.Name)
		for _, s := range splits {
			for _, name := range files {
				if slices.ContainsFunc(s.patterns, func(p string) bool { return matchGlob(path.Join(dir, p), name) }) {
					r.add(config.Name, s.split, name)
				}
			}
		}
	}
	return nil
}

// conventionalSplits returns the splits of the files in a folder, by patterns within it.
func conventionalSplits(dir string, files []string) []cardSplit {
	at := map[string][]string{}
	for _, name := range files {
		if within, ok := strings.CutPrefix(name, dir+"/"); ok {
			_, split := splitOfFile(path.Join("data", path.Base(within)))
			at[split] = append(at[split], within)
		}
	}
	var splits []cardSplit
	for _, split := range slices.Sorted(maps.Keys(at)) {
		splits = append(splits, cardSplit{split, at[split]})
	}
	return splits
}

// cardSplit is one split of a config with the patterns of its files.
type cardSplit struct {
	split    string
	patterns []string
}

// cardSplits parses data_files: a pattern, a list of patterns (both: split "train") or a list of
// {split, path}, where path is a pattern or a list of patterns.
func cardSplits(n *yaml.Node) ([]cardSplit, error) {
	if n.Kind == 0 {
		return nil, nil
	}
	if patterns, err := stringOrList(n); err == nil {
		return []cardSplit{{"train", patterns}}, nil
	}
	var entries []struct {
		Split string    `yaml:"split"`
		Path  yaml.Node `yaml:"path"`
	}
	if err := n.Decode(&entries); err != nil {
		return nil, fmt.Errorf("data_files: %w", err)
	}
	var splits []cardSplit
	for _, e := range entries {
		patterns, err := stringOrList(&e.Path)
		if err != nil {
			return nil, fmt.Errorf("data_files of split %q: %w", e.Split, err)
		}
		splits = append(splits, cardSplit{e.Split, patterns})
	}
	return splits, nil
}

func stringOrList(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}, nil
	}
	var list []string
	err := n.Decode(&list)
	return list, err
}

// matchGlob matches a slash-separated name as the hub does: *, ? and [...] within one folder, **
// across folders.
func matchGlob(pattern, name string) bool {
	var b strings.Builder
	b.WriteByte('^')
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString(`(.*/)?`)
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			i++
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
		case c == '[' && strings.Contains(pattern[i:], "]"):
			set, _, _ := strings.Cut(pattern[i+1:], "]")
			none := ""
			if set[:min(1, len(set))] == "!" {
				none = "^"
			}
			b.WriteString("[" + none + regexp.QuoteMeta(strings.TrimPrefix(set, "!")) + "]")
			i += len(set) + 1
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	matched, err := regexp.MatchString(b.String()+"$", name)
	return err == nil && matched
}

// Names lists the configs, sorted.
func (r *Repository) Names() []string { return slices.Sorted(maps.Keys(r.configs)) }

// Has reports whether there is such a config.
func (r *Repository) Has(config string) bool { return r.configs[config] != nil }

// Splits lists the splits of a config, sorted.
func (r *Repository) Splits(config string) []string {
	return slices.Sorted(maps.Keys(r.configs[config]))
}

// ExactFiles returns the files of the split with exactly this name.
func (r *Repository) ExactFiles(config, split string) ([]string, error) {
	if of := r.configs[config]; of != nil && of[split] == nil {
		return nil, fmt.Errorf("%s: config %q: %w", r.Dir, config, nearest.Unknown("split", split, r.Splits(config)))
	}
	return r.Files(config, split)
}

// Files returns the files of a split. A config with one split has it under any of the requested
// names, as in mteb.
func (r *Repository) Files(config string, splits ...string) ([]string, error) {
	of := r.configs[config]
	if of == nil {
		return nil, fmt.Errorf("%s: %w", r.Dir, nearest.Unknown("config", config, r.Names()))
	}
	for _, split := range splits {
		if files := of[split]; len(files) > 0 {
			return files, nil
		}
	}
	if len(of) == 1 {
		for _, files := range of {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%s: config %q: %w", r.Dir, config, nearest.Unknown("split", strings.Join(splits, " or "), r.Splits(config)))
}

// Subset is one task of a repository in mteb's layout; a function names its configs by content.
type Subset struct {
	Name   string
	Config func(part string) string
}

// Subsets lists the tasks by their corpus configs: "corpus" for a single task, called "test", else
// "subset-corpus" or "corpus-subset".
func (r *Repository) Subsets() []Subset {
	var all []Subset
	for _, config := range r.Names() {
		if before, ok := strings.CutSuffix(config, "-corpus"); ok {
			all = append(all, Subset{before, func(part string) string {
				if part == "default" {
					part = "qrels"
				}
				return before + "-" + part
			}})
		} else if after, ok := strings.CutPrefix(config, "corpus-"); ok {
			all = append(all, Subset{after, func(part string) string { return part + "-" + after }})
		} else if config == "corpus" {
			all = append(all, Subset{"test", func(part string) string { return part }})
		}
	}
	return all
}
