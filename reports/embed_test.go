package reports

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func TestReadDataRefuses(t *testing.T) {
	page := func(json string) string {
		return sealedPage(t, "<html>"+DataStart+strings.ReplaceAll(json, "LAYOUT", fmt.Sprint(Layout))+"</script>")
	}
	for name, c := range map[string]struct{ page, want string }{
		"no data":      {"<html></html>", "carries no data"},
		"not closed":   {sealedPage(t, DataStart+"{}"), "carries no data"},
		"no seal":      {DataStart + `{"format":"infbench-report-data/1"}</script>`, "no seal"},
		"changed":      {strings.Replace(page(`{"format":"infbench-report-data/1","title":"a"}`), `"a"`, `"b"`, 1), "seal is broken"},
		"no JSON":      {page("{"), "unexpected end"},
		"other format": {page(`{"format":"infbench-report-data/9"}`), "infbench-report-data/1"},
		"other layout": {page(`{"format":"infbench-report-data/1","layout":7}`), "found format infbench-report-data/1, layout 7, and this build of infbench reads format " + (&Data{Format: DataFormat}).version(Layout)},
		"no such slot": {page(`{"format":"infbench-report-data/1","layout":LAYOUT,"trials":[{"id":"a","values":[{"s":3,"q":0,"v":""}]}]}`), "slot 3 of 0"},
		"short values": {page(`{"format":"infbench-report-data/1","layout":LAYOUT,"queries":[["1","2"]],"slots":[{}],"trials":[{"id":"a","values":[{"s":0,"q":0,"v":"AAAAAAAA8D8="}]}]}`), "1 values for 2 queries"},
		"half a value": {page(`{"format":"infbench-report-data/1","layout":LAYOUT,"trials":[{"id":"a","values":[{"s":0,"q":0,"v":"AAAA"}]}]}`), "not a list of 8-byte numbers"},
	} {
		if _, err := ReadData([]byte(c.page)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// sealedPage returns a sealed page.
func sealedPage(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	err := WriteSealed(&b, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFloats checks that values are unchanged to the last bit.
func TestFloats(t *testing.T) {
	in := Floats{0, math.Copysign(0, -1), 1. / 3, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN()}
	data, err := in.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var out Floats
	if err := out.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	for i := range in {
		if math.Float64bits(in[i]) != math.Float64bits(out[i]) {
			t.Errorf("%v became %v", in[i], out[i])
		}
	}
}

// TestScriptJSON checks that no character of a string can end the script, change the text
// direction or be invisible.
func TestScriptJSON(t *testing.T) {
	data, err := ScriptJSON("</script>\u202e\U000e0001é")
	if err != nil || string(data) != `"\u003c/script\u003e\u202e\udb40\udc01é"` {
		t.Errorf("%s, %v", data, err)
	}
}
