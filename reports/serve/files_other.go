//go:build !unix

package serve

// openFiles returns how many files this process may open.
func openFiles() int { return 2 * connectionsAtMost }
