package weights

import (
	"path"
	"regexp"
	"slices"
)

// pickled are the names of what torch.save wrote, by the names of the safetensors that
// are read in their place.
var pickled = []struct {
	name    *regexp.Regexp
	instead []string
}{
	{regexp.MustCompile(`^pytorch_model(-\d+-of-\d+)?\.bin$`), []string{"model.safetensors", "model.safetensors.index.json"}},
	{regexp.MustCompile(`^adapter_model\.bin$`), []string{"adapter_model.safetensors"}},
}

// IsRead says of a .bin file among the files of a repository (slash-separated paths)
// whether weights are read from it: it has the name of weights, and its folder holds
// none as safetensors. Other .bin files (training_args.bin) are never read.
func IsRead(file string, all []string) bool {
	for _, p := range pickled {
		if p.name.MatchString(path.Base(file)) {
			return !slices.ContainsFunc(p.instead, func(name string) bool { return slices.Contains(all, path.Join(path.Dir(file), name)) })
		}
	}
	return false
}
