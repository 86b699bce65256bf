// Package terminal prints prose and tables within the width of a terminal, in colours
// where it has them. It does not know what they are about; other formats are printed
// elsewhere.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Screen is where text for people goes. The zero Width is no limit: text that goes to a
// file or another program is not wrapped.
type Screen struct {
	W      io.Writer
	Width  int // columns; 0 for no limit
	Colour bool
}

var _ io.Writer = Screen{}

// Write implements io.Writer.
func (s Screen) Write(p []byte) (int, error) { return s.W.Write(p) }

// Widths of a terminal that does not tell its own, and of the narrowest that is
// written for.
const (
	usualWidth = 80
	LeastWidth = 20
)

// On is the screen behind w, which may be a Screen already. Its width is that of the
// terminal, else $COLUMNS, else 80 of a terminal and no limit elsewhere.
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
		width, _, _ = term.GetSize(int(f.Fd())) // 0 where it does not say
	}
	return Screen{W: w, Width: widthOf(width, ok, os.Getenv), Colour: coloured(ok, os.Getenv)}
}

// widthOf chooses a width: what a terminal says of itself, $COLUMNS, the usual one of
// terminals.
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

// coloured decides on colours: NO_COLOR (no-color.org) forbids them, FORCE_COLOR and
// CLICOLOR_FORCE ask for them; a 0 asks for nothing. Without any of them a terminal has
// colours, unless it is dumb, and nothing else has.
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
