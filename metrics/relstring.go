package metrics

// RelevanceString spells the grades of the first n retrieved documents, one character each: the
// grade up to 9, > above, - for a document without a judgment, . for one that is in the pool but
// not judged. trec_eval's relstring.
func RelevanceString(c *Case, n int) string {
	r, ok := c.relevance()
	if !ok {
		return ""
	}
	grades := r.grades[:min(n, len(r.grades))]
	text := make([]byte, len(grades))
	for i, grade := range grades {
		switch {
		case grade > 9:
			text[i] = '>'
		case grade >= 0:
			text[i] = '0' + byte(grade)
		case grade == pooled:
			text[i] = '.'
		default:
			text[i] = '-'
		}
	}
	return string(text)
}
