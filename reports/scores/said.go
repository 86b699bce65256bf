package scores

import (
	"infbench/internal/words"
	"infbench/runners/results"
)

// Value returns the value of a setting as it is shown: its label, or the last part of a path.
// Different values of the systems of a set are shown as different texts.
func (s *System) Value(key string) string {
	if said, ok := s.said[key]; ok {
		return said
	}
	return s.Config()[key]
}

// valued is a value of a setting.
type valued struct{ key, value string }

// say chooses how values are shown. A value has the first of its labels. It is shown in full if
// its label is also that of another value. say reports whether any value is not shown in full.
func say(all []*System) (any bool) {
	configs := make([]map[string]string, len(all))
	for i, s := range all {
		configs[i] = s.Config()
	}
	short := results.ShortPaths(configs)
	shown := map[valued]string{}
	for i, s := range all {
		said := short[i]
		for _, t := range s.Trials {
			for _, l := range t.Labels {
				key := valued{l.Key, s.Config()[l.Key]}
				if _, known := shown[key]; !known && l.Key != results.SystemKey {
					shown[key] = l.Label
				}
			}
		}
		for key, value := range said {
			if at := (valued{key, configs[i][key]}); value != at.value && shown[at] == "" {
				shown[at] = value
			}
		}
	}
	if len(shown) > 0 {
		unlike(all, shown)
	}
	for _, s := range all {
		s.said = nil
		for key, value := range s.Config() {
			if text, ok := shown[valued{key, value}]; ok {
				s.say(key, text)
			}
		}
		for _, t := range s.Trials {
			for _, l := range t.Labels {
				if l.Key == results.SystemKey && s.said[l.Key] == "" {
					s.say(l.Key, l.Label)
				}
			}
		}
		any = any || len(s.said) > 0
	}
	return any
}

func (s *System) say(key, text string) {
	if s.said == nil {
		s.said = map[string]string{}
	}
	s.said[key] = text
}

// unlike removes texts that two values of a key would share.
func unlike(all []*System, shown map[valued]string) {
	for again := true; again; {
		again = false
		of := map[valued]string{} // the value behind a text
		for _, s := range all {
			for _, key := range words.SortedKeys(s.Config()) {
				at := valued{key, s.Config()[key]}
				text, said := shown[at]
				if !said {
					text = at.value
				}
				other, taken := of[valued{key, text}]
				if !taken || other == at.value {
					of[valued{key, text}] = at.value
					continue
				}
				delete(shown, at)
				delete(shown, valued{key, other})
				again = true
			}
		}
	}
}

// cleanLabels returns labels with clean texts.
func cleanLabels(labels []results.ValueLabel) (out []results.ValueLabel) {
	for _, l := range labels {
		if label := words.Clean(l.Label); label != "" {
			out = append(out, results.ValueLabel{Key: words.Clean(l.Key), Label: label})
		}
	}
	return out
}

// names returns the texts by which a system is found.
func (s *System) names() results.Named {
	n := results.Named{ID: s.Trials[0].ID, Labels: []string{s.Label}}
	if s.Long != "" {
		n.Labels = append(n.Labels, s.Long)
	}
	return n
}
