package words

// CleanAll makes cells safe for a terminal.
func CleanAll(cells []string) []string {
	safe := make([]string, len(cells))
	for i, c := range cells {
		safe[i] = Clean(c)
	}
	return safe
}
