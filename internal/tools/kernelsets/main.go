// Command sets lists the kernel sets that this processor can run, the fastest last.
package main

import (
	"fmt"

	"infbench/metrics/kernel"
)

func main() {
	for _, name := range kernel.Available() {
		fmt.Println(name)
	}
}
