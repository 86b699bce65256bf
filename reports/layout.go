package reports

import "fmt"

// Layout is the version of a report's layout and texts. Pages with another number were
// written by another version, whose texts this version cannot rebuild.
const Layout = 15

// viewLayout is the layout of pages with published numbers, a view, claims, ablations
// (whose findings are claims) or forgetting trials.
const viewLayout = 16

// ownLayout returns the layout for a page with these options.
func (d *Data) ownLayout() int {
	if o := d.Options; o.View != "" || o.Ablation || len(o.Published)+len(o.Claims)+len(d.Forgetting) > 0 {
		return viewLayout
	}
	return Layout
}

// version returns the format of a page with that layout.
func (d *Data) version(layout int) string { return fmt.Sprintf("%s, layout %d", d.Format, layout) }
