package agreement_test

import (
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/metrics/agreement"
)

func TestReadCSV(t *testing.T) {
	r := read(t, "ann, bob\r\n10,9\r\n9,\r\n\" 10 \",9\r\n")
	if !slices.Equal(r.Raters, []string{"ann", "bob"}) || !slices.Equal(r.Labels, []string{"9", "10"}) {
		t.Errorf("raters %q labels %q; want numbers in order of value", r.Raters, r.Labels)
	}
	for i, want := range [][]int{{1, 0}, {0, agreement.Missing}, {1, 0}} {
		if !slices.Equal(r.Items[i], want) {
			t.Errorf("item %d = %v, want %v", i, r.Items[i], want)
		}
	}
	if got := read(t, "a,b\nx,10\n9,x\n").Labels; !slices.Equal(got, []string{"10", "9", "x"}) {
		t.Errorf("labels with a word among them = %q, want order of bytes", got)
	}
	if got := read(t, "a,b\nhigh,low\n", "low", "mid", "high"); !slices.Equal(got.Items[0], []int{2, 0}) {
		t.Errorf("item = %v, want places in the given labels", got.Items[0])
	}
}

// Columns of other names than the raters' may hold anything.
func TestReadCSVRaters(t *testing.T) {
	text := "id,ann,bob,eve\nq1,a,b,c\nq2,b,b,c\n"
	r, err := agreement.ReadCSV(strings.NewReader(text), "f.csv", []string{"bob", "ann"}, nil)
	if err != nil || !slices.Equal(r.Raters, []string{"ann", "bob"}) || !slices.Equal(r.Labels, []string{"a", "b"}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := agreement.ReadCSV(strings.NewReader(text), "f.csv", []string{"anne"}, nil); err == nil || !strings.Contains(err.Error(), `f.csv:1: unknown rater "anne"; did you mean "ann"?`) {
		t.Errorf("unknown rater: %v", err)
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f.csv:1: empty"},
		{"unnamed rater", "a,\n", "f.csv:1: column 2"},
		{"same rater", "a,a\n", "f.csv:1: column 2"},
		{"short line", "a,b\nlow,low\nlow\n", "f.csv:3: 1 cells under a header of 2"},
		{"line after a quoted newline", "a,b\n\"l\now\",low\n", "f.csv:2: rater a: unknown label"},
		{"unknown label", "a,b\nlow,hihg\n", `f.csv:2: rater b: unknown label "hihg"; did you mean "high"?`},
		{"bare quote", "a,b\nlow,\"x\"y\n", "f.csv:2: column"},
	} {
		_, err := agreement.ReadCSV(strings.NewReader(c.text), "f.csv", nil, []string{"low", "high"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add("a,b\n1,2\n,1\n")
	f.Add("a\n\"x\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		testkit.Small.Within(t, len(text), func() {
			r, err := agreement.ReadCSV(strings.NewReader(text), "f.csv", nil, nil)
			if err != nil {
				return
			}
			for _, item := range r.Items {
				if len(item) != len(r.Raters) {
					t.Fatalf("item %v of %d raters", item, len(r.Raters))
				}
				for _, label := range item {
					if label < agreement.Missing || label >= len(r.Labels) {
						t.Fatalf("label %d of %q", label, r.Labels)
					}
				}
			}
		})
	})
}
