package chart

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// Colour is a colour of the page in light and dark mode. Options name it by its CSS
// variable, which the page's script looks up; so one option serves both modes.
type Colour struct {
	name        string // CSS variable without the dashes
	light, dark uint32 // 0xRRGGBB
}

// The palette. Series colours are those of Okabe and Ito, which colour-blind readers can
// distinguish, darkened or lightened until each has a contrast of 3:1 to its background.
// neg and pos mark losses and gains.
var (
	ink   = Colour{"ink", 0x1b2430, 0xe4e8ee}
	Muted = Colour{"muted", 0x5b6675, 0x9aa6b4}
	rule  = Colour{"rule", 0xd8dee6, 0x343c47}
	grey  = Colour{"grey", 0xb4bdc9, 0x566272} // lines in the background
	neg   = Colour{"neg", 0xe9a06b, 0x9c5322}
	pos   = Colour{"pos", 0x79b3e0, 0x2c6ca6}

	// stepColours colour cells, from far worse to far better. The middle is for differences that are
	// not shown. Text on them is ink.
	stepColours = []Colour{{"worse3", 0xe9a06b, 0x99511f}, {"worse2", 0xf0bf9c, 0x774626}, {"worse1", 0xf8ddc9, 0x4f3526}, {"even", 0xeceff3, 0x272e37}, {"better1", 0xd2e4f4, 0x24405a}, {"better2", 0xa6ccea, 0x285680}, {"better3", 0x79b3e0, 0x2b699f}}

	// Failed marks results that are not reliable. Their names state it, too.
	Failed = Colour{"fail", 0xb3261e, 0xff8f85}

	Series = []Colour{
		{"s1", 0x0072b2, 0x56b0ea},
		{"s2", 0xd55e00, 0xf08a4b},
		{"s3", 0x00875f, 0x3cc79b},
		{"s4", 0xb0478a, 0xe08fc0},
		{"s5", 0x9a7400, 0xe5bd3f},
		{"s6", 0x4b4fb5, 0xa3a8f5},
		{"s7", 0x3f4a57, 0xc3ccd6},
	}
)

// css returns the reference to the colour in chart options.
func (s Colour) css() string { return "var(--" + s.name + ")" }

// rgb returns the light colour, for static drawings.
func (s Colour) rgb() color.RGBA { return rgb(s.light) }

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// palette lists every Colour.
func palette() []Colour {
	return slices.Concat([]Colour{ink, Muted, rule, grey, neg, pos, Failed}, stepColours, Series)
}

// PaletteCSS returns the CSS that defines the palette for both modes.
func PaletteCSS() string {
	var light, dark strings.Builder
	for _, s := range palette() {
		fmt.Fprintf(&light, "--%s:#%06x;", s.name, s.light)
		fmt.Fprintf(&dark, "--%s:#%06x;", s.name, s.dark)
	}
	return fmt.Sprintf(":root{%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}\n", light.String(), dark.String())
}
