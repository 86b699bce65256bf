// Command kernelsets lists the kernel sets with float32 results of their own that this processor
// can run, the fastest last.
package main

import (
	"fmt"

	"infbench/metrics/kernel"
)

func main() {
	for _, name := range kernel.Available() {
		if kernel.Float32(name) == name {
			fmt.Println(name)
		}
	}
}
