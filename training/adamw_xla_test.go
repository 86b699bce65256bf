//go:build xla

package training

import (
	_ "github.com/gomlx/go-xla/compute/xla" // INFBENCH_DEVICE may name a plugin by its path
)
