package diff

import (
	"infbench/reports/contrast"
)

// quick keeps tests of anything but the statistics short.
var quick = contrast.Options{Permutations: 500, Resamples: 200}
