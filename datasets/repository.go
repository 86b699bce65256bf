package datasets

import "infbench/datasets/layout"

// repository is a folder of configs and splits, of which the layouts of this package
// make tasks.
type repository struct{ *layout.Repository }

func openRepository(dir string) (*repository, error) {
	r, err := layout.Open(dir)
	return &repository{r}, err
}
