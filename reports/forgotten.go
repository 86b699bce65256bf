package reports

import (
	"fmt"

	"infbench/reports/section"
)

// forgettingSections hold trained systems to what they could do before.
func forgettingSections(r *Report) ([]section.Section, error) {
	var out []section.Section
	for i, asked := range r.forgetting {
		id := "forgetting"
		if i > 0 {
			id = fmt.Sprintf("forgetting-%d", i+1)
		}
		s, said, err := forgettingSection(id, r.set, asked)
		if err != nil {
			return nil, err
		}
		if !s.Empty() {
			out, r.Lead, r.said = append(out, s), append(r.Lead, said), append(r.said, said)
		}
	}
	return out, nil
}
