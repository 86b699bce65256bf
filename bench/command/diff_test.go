package command

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// TestDiffNamesEverySetting changes each setting of a cell in turn and checks that diff names
// it: for run folders, pages, and one of each. New settings are covered automatically.
func TestDiffNamesEverySetting(t *testing.T) {
	was := madeUp(t, func(*spec.Cell) {})
	wasPage := pageOfRun(t, was)
	for _, key := range results.Keys() {
		if _, ok := fieldOf(reflect.ValueOf(&spec.Cell{}).Elem(), key.Name); !ok {
			continue // of evaluations and imports
		}
		t.Run(key.Name, func(t *testing.T) {
			now := madeUp(t, func(c *spec.Cell) { otherwise(t, c, key.Name) })
			isPage := pageOfRun(t, now)
			for i, sides := range [][2]string{{was, now}, {wasPage, isPage}, {was, isPage}, {wasPage, now}} {
				if i > 1 && !testkit.IsDeep() {
					break
				}
				if out := verbOutput(t, "diff", sides[0], sides[1]); !strings.Contains(out, " "+key.Name+": ") {
					t.Errorf("%s against %s: %s is not named\n%s", filepath.Base(sides[0]), filepath.Base(sides[1]), key.Name, out)
				}
			}
		})
	}
}

// TestDiffSaysSameOfWhatIsRecorded: a setting is listed as the same only if both sides record
// it.
func TestDiffSaysSameOfWhatIsRecorded(t *testing.T) {
	was := madeUp(t, func(*spec.Cell) {})
	now := madeUp(t, func(c *spec.Cell) { otherwise(t, c, results.Join); otherwise(t, c, results.MaxDocument) })
	for line := range strings.Lines(verbOutput(t, "diff", was, now)) {
		if strings.Contains(line, "same:") && (strings.Contains(line, "joining order") || strings.Contains(line, "max length")) {
			t.Errorf("a difference is listed as the same: %s", line)
		}
	}
}

// madeUp makes a run folder with one finished trial and an edited cell.
func madeUp(t *testing.T, edit func(*spec.Cell)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made-up")
	trial := spec.Trial{Label: "made up", Cell: spec.DefaultCell(), Evaluate: []string{"mini-bright"}}
	edit(&trial.Cell)
	trial.ID = trial.Hash()
	folder := runs.At(dir)
	if err := (&spec.Plan{Format: 1, Name: "made-up", Trials: []spec.Trial{trial}}).Write(folder.PlanPath()); err != nil {
		t.Fatal(err)
	}
	read, err := folder.Plan()
	if err != nil {
		t.Fatal(err)
	}
	finish(t, folder.Trial(read.Trials[0].ID).Dir, &read.Trials[0])
	return dir
}

// pageOfRun writes the report of a run folder.
func pageOfRun(t *testing.T, dir string) string {
	t.Helper()
	out := dir + ".html"
	verbOutput(t, "report", dir, "--format", "html", "--out", out)
	return out
}

// fieldOf finds a field by its dotted YAML name, allocating nil pointers on the way.
func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	head, rest, nested := strings.Cut(name, ".")
	for i := range v.NumField() {
		tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if tag != head {
			continue
		}
		f := v.Field(i)
		if !nested {
			return f, true
		}
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				f.Set(reflect.New(f.Type().Elem()))
			}
			f = f.Elem()
		}
		return fieldOf(f, rest)
	}
	return reflect.Value{}, false
}

// otherwise changes the value of a setting, whatever its type.
func otherwise(t *testing.T, c *spec.Cell, name string) {
	t.Helper()
	f, ok := fieldOf(reflect.ValueOf(c).Elem(), name)
	if !ok {
		t.Fatalf("no field %s", name)
	}
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	switch f.Kind() {
	case reflect.String:
		f.SetString(f.String() + "-other")
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Int, reflect.Int64:
		f.SetInt(f.Int() + 1)
	case reflect.Uint64:
		f.SetUint(f.Uint() + 1)
	case reflect.Float64:
		f.SetFloat(f.Float() + 0.5)
	case reflect.Slice:
		f.Set(reflect.Append(f, reflect.New(f.Type().Elem()).Elem()))
	default:
		t.Fatalf("%s is a %s: add here how to change one", name, f.Type())
	}
}
