package testkit

import "testing"

func TestDeep(t *testing.T) {
	for value, runs := range map[string]bool{"": false, "0": false, "1": true} {
		ran := false
		t.Run(value, func(t *testing.T) {
			t.Setenv(deepVariable, value)
			Deep(t)
			ran = true
		})
		if ran != runs {
			t.Errorf("%s=%q: ran is %v", deepVariable, value, ran)
		}
	}
}
