package verify

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/reports"
	"infbench/reports/claims"
	"infbench/reports/page"
	"infbench/reports/published"
	"infbench/runners/results"
)

// everything is an experiment with options that fill all fields of a page's data.
func everything(t *testing.T) sample {
	_, mteb := collections(t)
	value := .5
	return of("everything", func(o *reports.Options) {
		o.Published, o.Repositories = []*published.Collection{mteb}, map[string]string{"e5": "org/one"}
		o.Claims = []*claims.File{claimsOf(t)}
		o.Overlaps = []results.Overlap{{Train: "mini", Test: "pairs", Group: "queries of headline", Words: 8, Texts: 20, Exact: 1, Partial: 2}}
		o.Studies = []*results.Study{{Format: results.StudyFormat, Kind: "agreement", Name: "picks", Level: .95, Values: []results.StudyValue{{Measure: "Cohen's kappa", Of: "a | b", N: 9, Value: &value}}}}
	}, tiny(asRecorded))
}

// change changes a value, and returns false if it knows no other value.
func change(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "2")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			fresh.Elem().Set(v.Elem())
		}
		v.Set(fresh)
		return change(v.Elem())
	case reflect.Slice:
		fresh := reflect.MakeSlice(v.Type(), max(1, v.Len()), max(1, v.Len()))
		reflect.Copy(fresh, v)
		v.Set(fresh)
		return change(v.Index(0))
	case reflect.Map:
		fresh := reflect.MakeMap(v.Type())
		for _, key := range v.MapKeys() {
			fresh.SetMapIndex(key, v.MapIndex(key))
		}
		fresh.SetMapIndex(reflect.ValueOf("forged"), reflect.ValueOf("forged"))
		v.Set(fresh)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() && change(v.Field(i)) {
				return true
			}
		}
		return false
	default:
		return false
	}
	return true
}

// remade is the page made from forged data.
func remade(d *reports.Data) (string, bool) {
	options := d.BuildOptions()
	for i, c := range options.Published {
		options.Published[i] = &published.Collection{Source: c.Source, SHA256: c.SHA256}
	}
	r, err := reports.Build(d.Experiments(), options)
	if err != nil {
		return "", false
	}
	r.Data = d
	var b strings.Builder
	err = page.WriteWith(&b, r, nil)
	return b.String(), err == nil
}

// TestForgedFields changes every field of a page's data, in the data alone and in a page that is
// made again from them. With the run folders the field is named as differing, or as given by the
// author; without them it differs, or is listed by its heading.
func TestForgedFields(t *testing.T) {
	s := everything(t)
	d, put := dataOf(t, s.write(t, false))
	honest := asJSON(d)
	for _, record := range []struct {
		fields map[string]field
		of     func(d *reports.Data) reflect.Value
	}{
		{dataFields, func(d *reports.Data) reflect.Value { return reflect.ValueOf(d).Elem() }},
		{optionFields, func(d *reports.Data) reflect.Value { return reflect.ValueOf(&d.Options).Elem() }},
		{trialFields, func(d *reports.Data) reflect.Value { return reflect.ValueOf(&d.Trials[0]).Elem() }},
	} {
		kind := record.of(d).Type()
		for i := range kind.NumField() {
			name := kind.Name() + "." + kind.Field(i).Name
			f, known := record.fields[kind.Field(i).Name]
			if !known {
				t.Errorf("%s is in no list: say where it comes from and which heading shows it", name)
				continue
			}
			var forged reports.Data
			if err := json.Unmarshal([]byte(honest), &forged); err != nil {
				t.Fatal(err)
			}
			if f.from == apart || !change(record.of(&forged).Field(i)) {
				continue
			}
			pages := []string{put(&forged)}
			if html, ok := remade(&forged); ok {
				pages = append(pages, html)
			}
			for j, html := range pages {
				for mode, o := range []Options{{}, s.all()} {
					v, err := Page([]byte(html), o)
					if err != nil {
						continue // refused
					}
					said := fmt.Sprint(v.Differ)
					switch {
					case f.from == fromAuthor:
						said = fmt.Sprint(said, v.Given)
					case mode == 1 && strings.Contains(fmt.Sprint(v.Unchecked), f.heading+": "):
						said += f.name // nothing at hand has it
					case mode == 0:
						said = fmt.Sprint(said, v.Unchecked)
						if len(v.Differ) > 0 {
							said += f.name
						}
					}
					named := strings.Contains(said, f.name) || f.from == fromAuthor && len(v.Differ)+len(v.Given) > 0 ||
						f.name == "ID" && mode == 1 && strings.Contains(said, "in none of the run folders")
					if !named {
						t.Errorf("%s, page %d, mode %d: %q is not named: %.600s", name, j, mode, f.name, said)
					}
				}
			}
		}
	}
}

// TestForgedParts changes the parts of fields that a forger is most likely to change. With the run
// folders all of it differs.
func TestForgedParts(t *testing.T) {
	s := everything(t)
	html := s.write(t, false)
	_, put := dataOf(t, html)
	for name, forge := range map[string]func(d *reports.Data){
		"overlap counts":    func(d *reports.Data) { d.Options.Overlaps[0].Exact = 0 },
		"no overlaps":       func(d *reports.Data) { d.Options.Overlaps = nil },
		"more overlaps":     func(d *reports.Data) { d.Options.Overlaps = append(d.Options.Overlaps, d.Options.Overlaps[0]) },
		"a study":           func(d *reports.Data) { *d.Options.Studies[0].Values[0].Value = .9 },
		"a build":           func(d *reports.Data) { d.Builds[0].Infbench = "v0" },
		"a revision":        func(d *reports.Data) { d.Benchmarks[0].Benchmark.Revision = "r2" },
		"a repository":      func(d *reports.Data) { d.Options.Repositories["e5"] = "org/two" },
		"an error":          func(d *reports.Data) { d.Trials[0].Error = "none" },
		"a trial less":      func(d *reports.Data) { d.Trials = d.Trials[:len(d.Trials)-1] },
		"left with values":  func(d *reports.Data) { d.Left = []reports.DataLeft{{Slot: 0, Values: 1 << 30}} },
		"names of trials":   func(d *reports.Data) { d.Trials[0].Config["loss"] = "uni(N)" },
		"names of sweeps":   func(d *reports.Data) { d.Trials[0].Experiment = "audited" },
		"values of a query": func(d *reports.Data) { d.Trials[0].Values[0].Values[0] = 1 },
	} {
		d, _ := dataOf(t, html)
		forge(d)
		pages := []string{put(d)}
		if again, ok := remade(d); ok {
			pages = append(pages, again)
		}
		for i, forged := range pages {
			if v, err := Page([]byte(forged), s.all()); err == nil && len(v.Differ) == 0 {
				t.Errorf("%s, page %d: not found", name, i)
			}
		}
	}
}

// TestLeft: a page that claims to have no room for values, but has it, differs with and without its
// run folders. A page that leaves values out lists the unconfirmed parts, including a number of a
// board.
func TestLeft(t *testing.T) {
	s := of("left", nil, tiny(asRecorded))
	html := s.write(t, false)
	for name, forge := range map[string]func(d *reports.Data, slot int){
		"values are there": func(d *reports.Data, slot int) {
			d.Left = append(d.Left, reports.DataLeft{Slot: slot, Values: reports.EmbedAtMost + 1})
		},
		"there is room": func(d *reports.Data, slot int) {
			d.Left = append(d.Left, reports.DataLeft{Slot: slot, Values: 9})
			for i := range d.Trials {
				d.Trials[i].Values = slices.DeleteFunc(d.Trials[i].Values, func(v reports.DataValues) bool { return v.Slot == slot })
			}
		},
	} {
		d, put := dataOf(t, html)
		for slot := range d.Slots {
			forge(d, slot)
		}
		for mode, o := range []Options{{}, s.all()} {
			v, err := Page([]byte(put(d)), o)
			if err != nil || !slices.ContainsFunc(v.Differ, func(f Finding) bool { return strings.Contains(f.Where, "no room") }) {
				t.Errorf("%s, mode %d: %v %v", name, mode, err, v)
			}
		}
	}
	d, put := dataOf(t, html)
	d.Left = []reports.DataLeft{{Slot: 0, Values: reports.EmbedAtMost + 1}}
	for i := range d.Trials {
		d.Trials[i].Values = slices.DeleteFunc(d.Trials[i].Values, func(v reports.DataValues) bool { return v.Slot == 0 })
	}
	if v := verified(t, put(d), nil); !v.Numbers {
		t.Error("values left out: no number is said to be unchecked")
	}
	if v := verified(t, put(d), s.exps); len(v.Differ) == 0 {
		t.Error("values left out: not found with the run folders")
	}
}

// TestNumbers: numbers of boards, tests and claims that cannot be computed again are distinguished
// from other contents.
func TestNumbers(t *testing.T) {
	probed := tiny(asRecorded)
	value := .4
	probed.Trials[0].Probe = []results.Probed{{Benchmark: "pairs", Task: "headline", Query: "q1", Asked: results.Askings()[0].Name, Measure: "AP@1000", Value: &value, Overlap: .5}}
	all := everything(t)
	for _, c := range []struct {
		name          string
		of            sample
		without, with bool
	}{
		{"values", of("values", nil, tiny(asRecorded)), false, false},
		{"studies and published numbers", all, true, false},
		{"a model of no repository", of("none", func(o *reports.Options) { o.Repositories = map[string]string{"bm25": ""} }, tiny(asRecorded)), false, false},
		{"studies that are nowhere", of("study", func(o *reports.Options) { o.View, o.Studies = "agreement", all.options.Studies }), true, true},
		{"tests that only run folders have", of("probe", nil, probed), true, false},
	} {
		html := c.of.write(t, false)
		with := c.of.all()
		if c.with {
			with.Studies, with.Runs = nil, []*results.Experiment{}
		}
		without := verified(t, html, nil)
		v, err := Page([]byte(html), with)
		if without.Numbers && len(without.Unchecked) == 0 || v != nil && v.Numbers && len(v.Unchecked) == 0 {
			t.Errorf("%s: numbers are unchecked, and no heading is named", c.name)
		}
		if err != nil || without.Numbers != c.without || v.Numbers != c.with || len(v.Differ) > 0 {
			t.Errorf("%s: without run folders %t (%v), with them %t (%v) %v", c.name, without.Numbers, without.Unchecked, v.Numbers, v.Unchecked, err)
		}
	}
}

// TestDigest: the digest depends only on values and settings, and the page and its verification
// show the same digest.
func TestDigest(t *testing.T) {
	s := of("digest", nil, tiny(asRecorded))
	html := s.write(t, false)
	v := verified(t, html, nil)
	if len(v.Digest) != 64 || !strings.Contains(html, "SHA-256 of all values: "+v.Digest+".</span>") {
		t.Errorf("digest %q is not on the page", v.Digest)
	}
	if of, err := reports.DigestOf(s.exps); err != nil || of != v.Digest {
		t.Errorf("of the experiments: %s, %v", of, err)
	}
	other := tiny(asRecorded)
	slices.Reverse(other.Trials)
	for i := range other.Trials {
		slices.Reverse(other.Trials[i].Results)
	}
	for name, o := range map[string]reports.Options{"order": {}, "options": {Reference: "bm25"}, "layout": {Ablation: true}} {
		if got := build(t, o, other).Data.Digest(); got != v.Digest {
			t.Errorf("another %s: digest %s, want %s", name, got, v.Digest)
		}
	}
	for name, forge := range map[string]func(d *reports.Data){
		"value":   func(d *reports.Data) { d.Trials[0].Values[0].Values[0] += 1e-12 },
		"query":   func(d *reports.Data) { d.Queries[0][0] += "2" },
		"slot":    func(d *reports.Data) { d.Slots[0].Measure += "2" },
		"setting": func(d *reports.Data) { d.Trials[0].Config["loss"] += "2" },
	} {
		d, _ := dataOf(t, html)
		if forge(d); d.Digest() == v.Digest {
			t.Errorf("another %s: the same digest", name)
		}
	}
	d, _ := dataOf(t, html)
	d.Left = []reports.DataLeft{{Slot: 0, Values: 9, SHA256: "1"}}
	if d.Digest() == v.Digest {
		t.Error("values left out: the same digest")
	}
}
