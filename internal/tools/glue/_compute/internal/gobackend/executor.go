package gobackend

import "github.com/gomlx/compute"

// ExecutorOf returns the executor registered for an operation, or nil. An executor of higher
// priority falls back to it.
func ExecutorOf(op compute.OpType) NodeExecutor { return nodeExecutors[op] }
