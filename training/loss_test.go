package training

import (
	"errors"
	"strings"
	"testing"

	"infbench/internal/nearest"
	"infbench/internal/testkit"
)

func TestParseLoss(t *testing.T) {
	for name, want := range map[string]Contrastive{
		"uni(P)":           {Form: Uni, Terms: P},
		"uni(P,I)":         {Form: Uni, Terms: P | I},
		" multi( IQ, P ) ": {Form: Multi, Terms: P | IQ},
		"multi(P,I,IQ,ST)": {Form: Multi, Terms: P | I | IQ | ST},
		// As printed in the published tables.
		"uni:P":        {Form: Uni, Terms: P},
		"multi:P+I+IQ": {Form: Multi, Terms: P | I | IQ},
		// The formulas that the reference code computes; its README swaps the map types.
		"basic/qk":                         {Form: Uni, Terms: P},
		"basic_add/kq":                     {Form: Uni, Terms: IQ},
		"basic_unfilter/no_trick":          {Form: Multi, Terms: P | IQ},
		"basic_add/no_trick":               {Form: Uni, Terms: P | IQ},
		"basic/same_tower":                 {Form: Multi, Terms: P | IQ | ST},
		"map/only_neg":                     {Form: Uni, Terms: I},
		"map/qk_with_neg":                  {Form: Multi, Terms: P | I},
		"map_add/qk_with_neg":              {Form: Uni, Terms: P | I},
		"map_add/kq_with_neg":              {Form: Uni, Terms: I | IQ},
		"attn_map/no_trick_with_neg":       {Form: Multi, Terms: P | I | IQ},
		"map/same_tower_with_neg":          {Form: Multi, Terms: P | I | IQ | ST},
		"attn_map_add/same_tower_with_neg": {Form: Uni, Terms: P | I | IQ | ST},
		"map_sum/qk_with_neg":              {Form: Multi, Terms: P | IP},
	} {
		got, err := ParseLoss(name)
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
		"multi:P+J":          `did you mean "multi:P+I"? (known: uni:P, `,
		"multi:P,I":          `did you mean "multi:P+I"?`,
		"uni ":               `(known: uni:P, uni:I, `,
		"unii(P,IQ)":         `did you mean "uni(P,IQ)"?`,
		"map/qk_with_negs":   `did you mean "map/qk_with_neg"?`,
		"basic/only_neg":     "unknown loss", // the reference code rejects it too
		"map_sum/only_neg":   "unknown loss", // broken there
		"uni(P,P)":           "twice",
		"multi(ST)":          "no positive pair",
		"uni(P,IP)":          "multi form only",
		"uni(P),multi(P,IQ)": "unknown loss",
	} {
		_, err := ParseLoss(name)
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
	for _, l := range AllLosses() {
		names = append(names, l.String())
		for _, name := range []string{NameOf(l), PlainName(l)} {
			if back, err := ParseLoss(name); err != nil || back != l {
				t.Errorf("%s reads back as %v, %v", name, back, err)
			}
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
		testkit.Small.Within(t, len(name), func() {
			l, err := ParseLoss(name)
			if err != nil {
				return
			}
			if back, err := ParseLoss(NameOf(l)); err != nil || back != l {
				t.Errorf("%q parses as %v, which reads back as %v, %v", name, l, back, err)
			}
		})
	})
}
