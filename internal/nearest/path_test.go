package nearest

import "testing"

func TestPath(t *testing.T) {
	beside := []string{"mini.yaml", "paper.yaml"}
	for path, want := range map[string]string{
		"claims/mini.yml": "; did you mean claims/mini.yaml?", "Paper.yaml": "; did you mean paper.yaml?", "./another": "",
		"claims/mini.yaml": "", // it exists: something else fails
	} {
		if got := Path(path, beside); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
