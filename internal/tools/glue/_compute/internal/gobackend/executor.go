package gobackend

import "github.com/gomlx/compute"

// ExecutorOf is what is registered for an operation now, nil where nothing is: what an
// executor of higher priority falls back to.
func ExecutorOf(op compute.OpType) NodeExecutor { return nodeExecutors[op] }
