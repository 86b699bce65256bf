package usage

// Code is an exit code with what it means.
type Code struct {
	Code    int
	Meaning string
}

// Codes are the exit codes of every verb.
func Codes() []Code {
	return []Code{
		{0, "done"},
		{1, "failed: the data, the disk or a computation said no"},
		{ExitUsage, "wrong usage: the command line or a configuration file"},
		{3, "the numbers do not meet the gate"},
		{ExitStopped, "stopped by a signal, and the same command goes on where it was"},
		{ExitInterrupted, "stopped by a signal, and it begins anew"},
	}
}
