// Package terminal prints prose and tables within the width of a terminal, in colours if
// it has them. It does not know what they are about. Other packages print other formats.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Screen is an output for people. A Width of 0 means no limit: text for a file or another
// program is not wrapped.
type Screen struct {
	W      io.Writer
	Width  int // columns; 0 for no limit
	Colour bool
}

var _ io.Writer = Screen{}

// Write implements io.Writer.
func (s Screen) Write(p []byte) (int, error) { return s.W.Write(p) }

// Default width of a terminal that does not report one, and the smallest width used.
const (
	usualWidth = 80
	LeastWidth = 20
)

// On returns the screen for w, which may be a Screen already. Its width is that of the
// terminal, else $COLUMNS, else 80 for a terminal and no limit otherwise.
func On(w io.Writer) Screen {
	for {
		switch under := w.(type) {
		case Screen:
			return under
		case interface{ Unwrap() io.Writer }:
			w = under.Unwrap()
			continue
		}
		break
	}
	f, ok := w.(*os.File)
	ok = ok && term.IsTerminal(int(f.Fd()))
	width := 0
	if ok {
		width, _, _ = term.GetSize(int(f.Fd())) // 0 if unknown
	}
	return Screen{W: w, Width: widthOf(width, ok, os.Getenv), Colour: coloured(ok, os.Getenv)}
}

// widthOf chooses a width: the one that a terminal reports, else $COLUMNS, else the
// default of terminals.
func widthOf(own int, isTerminal bool, env func(string) string) int {
	if own == 0 {
		own, _ = strconv.Atoi(env("COLUMNS"))
	}
	if own <= 0 && isTerminal {
		own = usualWidth
	}
	if own <= 0 {
		return 0
	}
	return max(own, LeastWidth)
}

// coloured decides whether to use colours. NO_COLOR (no-color.org) forbids them;
// FORCE_COLOR and CLICOLOR_FORCE ask for them unless they are 0. Without these variables
// only a terminal gets colours, unless it is dumb.
func coloured(isTerminal bool, env func(string) string) bool {
	asked := func(name string) bool { v := env(name); return v != "" && v != "0" && v != "false" }
	switch {
	case env("NO_COLOR") != "":
		return false
	case asked("FORCE_COLOR"), asked("CLICOLOR_FORCE"):
		return true
	case env("FORCE_COLOR") != "":
		return false
	}
	return isTerminal && env("TERM") != "dumb"
}
