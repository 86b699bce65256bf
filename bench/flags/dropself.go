package flags

import "github.com/spf13/pflag"

// DropSelf declares --drop-self.
func DropSelf(f *pflag.FlagSet, on *bool) {
	f.BoolVar(on, "drop-self", false, "drop the document with a query's own ID from its ranking, as BEIR's evaluator does")
}
