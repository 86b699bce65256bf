package training_test

import (
	"errors"
	"strings"
	"testing"

	"infbench/metrics/nearest"
	"infbench/training"
)

func TestParseLoss(t *testing.T) {
	for name, want := range map[string]training.Loss{
		"uni(P)":           {Form: training.Uni, Terms: training.P},
		"uni(P,I)":         {Form: training.Uni, Terms: training.P | training.I},
		" multi( IQ, P ) ": {Form: training.Multi, Terms: training.P | training.IQ},
		"multi(P,I,IQ,ST)": {Form: training.Multi, Terms: training.P | training.I | training.IQ | training.ST},
		// As printed in the published tables.
		"uni:P":        {Form: training.Uni, Terms: training.P},
		"multi:P+I+IQ": {Form: training.Multi, Terms: training.P | training.I | training.IQ},
		// What the reference code computes; its README says the opposite of the map types.
		"basic/qk":                         {Form: training.Uni, Terms: training.P},
		"basic_add/kq":                     {Form: training.Uni, Terms: training.IQ},
		"basic_unfilter/no_trick":          {Form: training.Multi, Terms: training.P | training.IQ},
		"basic_add/no_trick":               {Form: training.Uni, Terms: training.P | training.IQ},
		"basic/same_tower":                 {Form: training.Multi, Terms: training.P | training.IQ | training.ST},
		"map/only_neg":                     {Form: training.Uni, Terms: training.I},
		"map/qk_with_neg":                  {Form: training.Multi, Terms: training.P | training.I},
		"map_add/qk_with_neg":              {Form: training.Uni, Terms: training.P | training.I},
		"map_add/kq_with_neg":              {Form: training.Uni, Terms: training.I | training.IQ},
		"attn_map/no_trick_with_neg":       {Form: training.Multi, Terms: training.P | training.I | training.IQ},
		"map/same_tower_with_neg":          {Form: training.Multi, Terms: training.P | training.I | training.IQ | training.ST},
		"attn_map_add/same_tower_with_neg": {Form: training.Uni, Terms: training.P | training.I | training.IQ | training.ST},
		"map_sum/qk_with_neg":              {Form: training.Multi, Terms: training.P | training.IP},
	} {
		got, err := training.ParseLoss(name)
		if err != nil || got != want {
			t.Errorf("ParseLoss(%q) = %v, %v; want %v", name, got, err, want)
		}
	}
}

func TestParseLossRefuses(t *testing.T) {
	for name, part := range map[string]string{
		"":                   "unknown loss",
		"uni":                "unknown loss",
		"uni()":              "unknown loss",
		"uni(P":              "unknown loss",
		"uni P)":             "unknown loss",
		"uni(P,)":            "unknown loss",
		"uni(P+I)":           "unknown loss",
		"sum(P)":             "unknown loss",
		"multi(P,J)":         `did you mean "multi(P,I)"?`,
		"unii(P,IQ)":         `did you mean "uni(P,IQ)"?`,
		"map/qk_with_negs":   `did you mean "map/qk_with_neg"?`,
		"basic/only_neg":     "unknown loss", // the reference code refuses it too
		"map_sum/only_neg":   "unknown loss", // broken there
		"uni(P,P)":           "twice",
		"multi(ST)":          "no positive pair",
		"uni(P,IP)":          "multi form only",
		"uni(P),multi(P,IQ)": "unknown loss",
	} {
		_, err := training.ParseLoss(name)
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("ParseLoss(%q): error %v, want one with %q", name, err, part)
		}
		var unknown *nearest.UnknownError
		if strings.HasPrefix(part, "unknown") && !errors.As(err, &unknown) {
			t.Errorf("ParseLoss(%q): %T, want *nearest.UnknownError", name, err)
		}
	}
}

func TestLossNamesRoundTrip(t *testing.T) {
	// Tables 3 and 6 of the paper, row order of published/paper/loss_map.csv.
	want := "uni(P) uni(I) uni(IQ) uni(P,I) uni(P,IQ) uni(I,IQ) uni(P,I,IQ) multi(P,I) multi(P,IQ) multi(I,IQ) multi(P,I,IQ)"
	var names []string
	for _, l := range training.AllLosses() {
		names = append(names, l.String())
		text, _ := l.MarshalText()
		var back training.Loss
		if err := back.UnmarshalText(text); err != nil || back != l {
			t.Errorf("%s reads back as %v, %v", text, back, err)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("AllLosses:\n got %s\nwant %s", got, want)
	}
}

func FuzzParseLoss(f *testing.F) {
	for _, seed := range []string{"uni(P)", "multi(P,I,IQ)", "uni:P+I", "map/only_neg", "multi(P,,I)", "uni(P))", "("} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		l, err := training.ParseLoss(name)
		if err != nil {
			return
		}
		if back, err := training.ParseLoss(l.String()); err != nil || back != l {
			t.Errorf("%q parses as %v, which reads back as %v, %v", name, l, back, err)
		}
	})
}
