//go:build xla

package encoder_test

import (
	_ "github.com/gomlx/go-xla/compute/xla" // INFBENCH_DEVICE may name a plugin by its path
)
