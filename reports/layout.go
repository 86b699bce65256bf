package reports

import "fmt"

// Layout numbers how a report is laid out and worded. A page of another number was
// written by another version, whose texts this one cannot make again.
const Layout = 12

// viewLayout is that of pages with numbers of others, a view of the paper's or claims,
// of ablations, whose findings are claims, and of trials of forgetting.
const viewLayout = 13

// ownLayout is the layout of pages that hold what a page does.
func (d *Data) ownLayout() int {
	if o := d.Options; o.View != "" || o.Ablation || len(o.Published)+len(o.Claims)+len(d.Forgetting) > 0 {
		return viewLayout
	}
	return Layout
}

// version names the format of a page whose layout has that number.
func (d *Data) version(layout int) string { return fmt.Sprintf("%s, layout %d", d.Format, layout) }
