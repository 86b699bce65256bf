package probe

import "strings"

// frames repeat any English instruction, {I}, in other words. None adds to the request or takes
// from it.
var frames = []string{
	"Here is what I need: {I}",
	"My request is as follows. {I}",
	"{I} Thank you for your help.",
	"Please read this carefully before you search. {I}",
}

// reworded puts an instruction into every frame.
func reworded(instruction string) []string {
	out := make([]string, len(frames))
	for i, frame := range frames {
		out[i] = strings.Replace(frame, "{I}", instruction, 1)
	}
	return out
}
