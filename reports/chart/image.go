package chart

import (
	"bytes"
	"fmt"
	"regexp"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Picture is a drawing with its heading, which can be written in several formats.
type Picture struct {
	*Drawing                   // the SVG, with dark colours for readers who prefer them
	paint    func(draw.Canvas) // draws the same in the light colours
}

// PictureFormats lists the formats of Picture.Encode.
func PictureFormats() []string { return []string{"svg", "png", "pdf"} }

// Picture returns the figure's drawing below a heading.
func (f *Figure) Picture(title string) *Picture {
	return &Picture{f.Drawing.Titled(title), func(whole draw.Canvas) {
		style := textStyle(ink, 0, 0)
		style.Font.Size, style.Font.Weight = 13, bold
		whole.FillText(style, vg.Point{X: 4, Y: whole.Max.Y - 18}, cut(title, style, whole.Max.X-8))
		f.paint(draw.Crop(whole, 0, 0, 0, -headingRoom))
	}}
}

// pngDPI gives an image two points for each CSS pixel, for sharp text on screens and slides.
const pngDPI = 144

// Encode writes the picture in one of PictureFormats: on white in PNG, without a background in the
// others. The bytes depend on the picture alone.
func (p *Picture) Encode(format string) ([]byte, error) {
	width, height := vg.Length(p.Width), vg.Length(p.Height)
	var out bytes.Buffer
	switch format {
	case "svg":
		return p.SVG, nil
	case "png":
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
		p.paint(draw.New(canvas))
		if _, err := canvas.WriteTo(&out); err != nil {
			return nil, fmt.Errorf("write a PNG: %w", err)
		}
		return out.Bytes(), nil
	case "pdf":
		canvas := outlined{vgpdf.New(width, height)}
		p.paint(draw.New(canvas))
		if _, err := canvas.WriteTo(&out); err != nil {
			return nil, fmt.Errorf("write a PDF: %w", err)
		}
		return pdfDate.ReplaceAll(out.Bytes(), []byte("Date (D:20000101000000")), nil
	}
	return nil, fmt.Errorf("unknown format of a picture: %s", format)
}

// pdfDate matches the time at which a PDF was written. Its replacement is as long, so that the
// offsets in the file stay right.
var pdfDate = regexp.MustCompile(`Date \(D:[0-9]{14}`)

// outlined is a PDF whose texts are the outlines of their letters. vgpdf's own texts have only the
// letters of Windows-1252, without a minus sign and without most names of other languages.
type outlined struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas.
func (c outlined) FillString(face plotfont.Face, at vg.Point, text string) {
	var buffer sfnt.Buffer
	units := face.Face.UnitsPerEm()
	scale := func(v fixed.Int26_6) vg.Length { return vg.Length(v) / 64 * face.Font.Size / vg.Length(units) }
	size := fixed.I(int(units))
	for _, r := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, r)
		if err != nil {
			continue // the built-in fonts lack this letter
		}
		segments, err := face.Face.LoadGlyph(&buffer, glyph, size, nil)
		if err != nil {
			continue
		}
		var path vg.Path
		place := func(p fixed.Point26_6) vg.Point { return vg.Point{X: at.X + scale(p.X), Y: at.Y - scale(p.Y)} }
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				path.Move(place(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(place(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(place(s.Args[0]), place(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
			}
		}
		if len(path) > 0 {
			c.Fill(path)
		}
		if advance, err := face.Face.GlyphAdvance(&buffer, glyph, size, font.HintingNone); err == nil {
			at.X += scale(advance)
		}
	}
}
