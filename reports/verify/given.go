package verify

import (
	"fmt"
	"reflect"
	"slices"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/contrast"
	"infbench/runners/results"
)

// source is the origin of a field of a page's data.
type source int

const (
	apart      source = iota // a reference to other fields, or compared separately
	fromRuns                 // only in run folders
	fromAuthor               // given by the author of the page
)

// field describes a field of a page's data: its source, its name, and the heading of its section.
type field struct {
	from    source
	name    string
	heading string
}

// The fields of reports.Data, of its options and of its trials. A page is a function of these and
// of the values. A test fails for fields that are missing from these lists.
var (
	dataFields = map[string]field{
		"Format": {}, "Options": {}, "Queries": {}, "Slots": {}, "Trials": {}, "Layout": {},
		"Title":      {from: fromRuns, name: "title", heading: "Title"},
		"Benchmarks": {from: fromRuns, name: "names, revisions and contents of benchmarks", heading: "Data"},
		"Left":       {from: fromRuns, name: "values that the page has no room for", heading: "Values"},
		"Notes":      {from: fromRuns, name: "notes of the experiments", heading: "What was found"}, //plain:ok a heading
		"Builds":     {from: fromRuns, name: "builds", heading: "Programs and machines"},
		"Forgetting": {from: fromRuns, name: "plan of the trials of forgetting", heading: "Forgetting"},
		"Measured":   {from: fromRuns, name: "days", heading: "Programs and machines"},
		"Questions":  {from: fromRuns, name: "question of the experiment", heading: "Question"},
	}
	optionFields = map[string]field{
		"Reference":    {from: fromAuthor, name: "reference"},
		"Measures":     {from: fromAuthor, name: "measures that are shown"},
		"Projection":   {from: fromAuthor, name: "rows and columns"},
		"Ablation":     {from: fromAuthor, name: "choice of the ablation"},
		"View":         {from: fromAuthor, name: "view"},
		"Claims":       {from: fromAuthor, name: "claims"},
		"Published":    {from: fromAuthor, name: "published collections"},
		"Studies":      {from: fromRuns, name: "studies of data", heading: "Studies"},
		"Overlaps":     {from: fromRuns, name: "counts of test texts in training data", heading: "Contamination"},
		"Repositories": {from: fromRuns, name: "repositories of models", heading: "Comparison with published numbers"},
	}
	trialFields = map[string]field{
		"Build": {}, "Benchmarks": {}, "Values": {},
		"ID":             {from: fromRuns, name: "ID", heading: "Trials"},
		"Experiment":     {from: fromRuns, name: "experiment", heading: "Title"},
		"State":          {from: fromRuns, name: "state", heading: "Trials"},
		"Error":          {from: fromRuns, name: "error", heading: "Trials"},
		"Config":         {from: fromRuns, name: "settings", heading: "How it was run"},
		"Labels":         {from: fromRuns, name: "labels of settings", heading: "How it was run"},
		"Marker":         {from: fromRuns, name: "SHA-256 of done.json", heading: "Trials"},
		"Parameters":     {from: fromRuns, name: "number of parameters", heading: "Trials"},
		"Selection":      {from: fromRuns, name: "selection", heading: "Trials"},
		"Active":         {from: fromRuns, name: "choice by results", heading: "Trials"},
		"Chunk":          {from: fromRuns, name: "sequences trained at a time", heading: "Trials"},
		"Removed":        {from: fromRuns, name: "training records that were removed", heading: "Contamination"},
		"Trained":        {from: fromRuns, name: "records trained on", heading: "Trials"},
		"Deviations":     {from: fromRuns, name: "deviations from float32", heading: "Trials"},
		"Approximations": {from: fromRuns, name: "recall of approximate rankings", heading: "Trials"},
		"Chat":           {from: fromRuns, name: "answers of chat models", heading: "Trials"},
		"Submission":     {from: fromRuns, name: "declaration", heading: "Submissions"},
		"Ties":           {from: fromRuns, name: "what ties decide", heading: "Comparison with published numbers"},
	}
)

const needsRuns = "needs the run folders (--runs)"

// taken lists by heading the contents of a page that neither its values nor other data at hand can
// confirm.
func (v *Verification) taken(d *reports.Data) {
	var headings []string
	names := map[string][]string{}
	take := func(fields map[string]field, record any) {
		of := reflect.ValueOf(record)
		for i := range of.NumField() {
			f := fields[of.Type().Field(i).Name]
			if f.from == fromRuns && !isEmpty(of.Field(i)) {
				headings = words.AddNew(headings, f.heading)
				names[f.heading] = words.AddNew(names[f.heading], f.name)
			}
		}
	}
	take(dataFields, *d)
	take(optionFields, d.Options)
	for _, t := range d.Trials {
		take(trialFields, t)
	}
	for _, heading := range headings {
		if i := slices.Index(v.Unchecked, heading+": "+needsRuns); i >= 0 {
			v.Unchecked = slices.Delete(v.Unchecked, i, i+1)
			names[heading] = append([]string{"everything in it"}, names[heading]...)
		}
		v.Unchecked = append(v.Unchecked, fmt.Sprintf("%s: %s: %s", heading, words.Listed(names[heading]), needsRuns))
	}
}

// isEmpty reports whether a field of a page is empty.
func isEmpty(field reflect.Value) bool {
	return field.IsZero() || (field.Kind() == reflect.Slice || field.Kind() == reflect.Map) && field.Len() == 0
}

// given lists the choices of a page's author, which decide what the page shows and cannot be
// checked.
func (v *Verification) given(d *reports.Data) {
	of := reflect.ValueOf(d.Options)
	for i := range of.NumField() {
		f := optionFields[of.Type().Field(i).Name]
		if f.from != fromAuthor || isEmpty(of.Field(i)) || f.name == "reference" && d.Options.Reference == contrast.DefaultReference {
			continue
		}
		switch f.name {
		case "claims":
			for _, c := range d.Options.Claims {
				v.Given = append(v.Given, fmt.Sprintf("claims %s (SHA-256 %s)", c.Name, c.SHA256))
			}
		case "published collections":
			for _, p := range d.Options.Published {
				v.Given = append(v.Given, fmt.Sprintf("numbers of %s (SHA-256 %s)", p.Source, p.SHA256))
			}
		default:
			v.Given = append(v.Given, f.name+": "+asJSON(of.Field(i).Interface()))
		}
	}
}

// derive replaces options that a page took from run folders by those of the run folders and studies
// at hand. Options that these lack are kept, and listed as unchecked.
func (v *Verification) derive(options *reports.Options, d *reports.Data, o Options) {
	type counted struct {
		train, world, test string
		words              int
	}
	key := func(c results.Overlap) counted { return counted{c.Train, c.World, c.Test, c.Words} }
	known := map[counted]bool{}
	for _, c := range o.Overlaps {
		known[key(c)] = true
	}
	var counts []results.Overlap
	var without []string
	for _, c := range d.Options.Overlaps {
		switch {
		case slices.Contains(o.Overlaps, c):
			counts = words.AddNew(counts, c)
		case !known[key(c)]:
			counts = words.AddNew(counts, c)
			without = words.AddNew(without, fmt.Sprintf("Contamination: no run folder at hand has the counts of %s in %s", words.Clean(c.Test), words.Clean(c.Train)))
		}
	}
	for _, c := range o.Overlaps {
		counts = words.AddNew(counts, c)
	}
	options.Overlaps = counts
	options.Studies = slices.Clone(options.Studies)
	for i, s := range options.Studies {
		j := slices.IndexFunc(o.Studies, func(k *results.Study) bool { return k.Kind == s.Kind && k.Name == s.Name })
		if j >= 0 {
			options.Studies[i] = o.Studies[j]
			continue
		}
		without = append(without, fmt.Sprintf("Studies: %s of %s (SHA-256 %s): no such study is at hand (--runs)", words.Clean(s.Kind), words.Clean(s.Name), words.Clean(s.SHA256)))
		v.Numbers = true // a view or a claim shows it
	}
	repositories := map[string]string{}
	for name, repository := range d.Options.Repositories {
		repositories[name] = repository
		if _, known := o.Repositories[name]; !known { // a card may name none, as bm25's
			without = append(without, fmt.Sprintf("Comparison with published numbers: that %s is %s: no such model is at hand", words.Clean(name), words.Clean(repository)))
			v.Numbers = true // verdicts rest on it
		}
	}
	for name, repository := range o.Repositories {
		repositories[name] = repository
	}
	if options.Repositories = repositories; len(repositories) == 0 {
		options.Repositories = nil
	}
	v.Numbers = v.Numbers || len(without) > 0 && judgesData(*options)
	slices.Sort(without)
	v.Unchecked = append(v.Unchecked, without...)
}

// judgesData reports whether a claim of a page is about data, not systems.
func judgesData(options reports.Options) bool {
	for _, f := range options.Claims {
		for _, c := range f.Claims {
			if c.Study != "" {
				return true
			}
		}
	}
	return false
}
