package site

import (
	"infbench/reports/contrast"
)

// brief keeps making a page short.
var brief = contrast.Options{Permutations: 60, Resamples: 40}
