package datasets

// repository is a folder of configs and splits, of which the layouts of this package
// make tasks.
type repository struct{ *Repository }

func openRepository(dir string) (*repository, error) {
	r, err := OpenRepository(dir)
	return &repository{r}, err
}
