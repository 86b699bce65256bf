package weights

import (
	"path"
	"regexp"
	"slices"
)

// pickled are the names of files from torch.save, with the names of the safetensors that are read
// instead of them.
var pickled = []struct {
	name    *regexp.Regexp
	instead []string
}{
	{regexp.MustCompile(`^pytorch_model(-\d+-of-\d+)?\.bin$`), []string{"model.safetensors", "model.safetensors.index.json"}},
	{regexp.MustCompile(`^adapter_model\.bin$`), []string{"adapter_model.safetensors"}},
}

// IsRead reports whether weights are read from a .bin file of a repository, given all of its files
// (slash-separated paths): the file has a name of weights, and its folder has no weights as
// safetensors. Other .bin files (training_args.bin) are never read.
func IsRead(file string, all []string) bool {
	for _, p := range pickled {
		if p.name.MatchString(path.Base(file)) {
			return !slices.ContainsFunc(p.instead, func(name string) bool { return slices.Contains(all, path.Join(path.Dir(file), name)) })
		}
	}
	return false
}
