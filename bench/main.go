// Command infbench trains, runs and compares instruction-following retrievers. The verbs
// are in package command.
package main

import "infbench/bench/command"

func main() {
	command.Main()
}
