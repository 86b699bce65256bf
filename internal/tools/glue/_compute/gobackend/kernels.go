package gobackend

// The functions that call kernels.
import _ "github.com/gomlx/compute/internal/gobackend/kernels"
