package command

import (
	"bytes"
	"os"
	"testing"
	"unicode"

	"infbench/internal/usage"
)

// asCommand makes the test program behave as infbench, so that a sweep under test starts its
// trials as in real use.
const asCommand = "INFBENCH_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main()
	}
	os.Setenv(asCommand, "1")
	settings, err := os.MkdirTemp("", "infbench-settings") // data import --private writes into it
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CONFIG_HOME", settings)
	code := m.Run()
	os.RemoveAll(settings)
	os.Exit(code)
}

func TestUnknownVerb(t *testing.T) {
	verbFails(t, usage.ExitUsage, `unknown verb "swep"; did you mean "sweep"?`, "swep")
	verbFails(t, usage.ExitUsage, "unknown flag: --runz; did you mean --runs?", "sweep", "x.yaml", "--runz", "y")
	verbFails(t, usage.ExitUsage, "accepts 1 arg(s), received 0", "sweep")
}

// Every verb's help has an example.
func TestHelp(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		if cmd.Hidden {
			continue
		}
		if cmd.Example == "" && !cmd.HasSubCommands() {
			t.Errorf("verb %s has no example", cmd.Name())
		}
	}
}

// Names shown in errors cannot send control sequences to a terminal.
func TestErrorsAreClean(t *testing.T) {
	for _, verb := range [][]string{{"report"}, {"verify"}, {"diff", "x"}, {"import"}, {"gate", "--rule"}, {"data", "agreement"}, {"sweep"}, {"report", "--format"}} {
		var stdout, stderr bytes.Buffer
		if code := run(append(verb, "no\x1b[31m\x1b]0;t\x07\u202esuch\u009b"), &stdout, &stderr); code == exitOK {
			t.Errorf("%q passes", verb)
		}
		for _, r := range stderr.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q: %q", verb, stderr.String())
				break
			}
		}
	}
}
