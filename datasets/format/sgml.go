package format

import (
	"bytes"
	"html"
	"iter"
	"strings"
	"unicode/utf8"
)

// Element is one field of an SGML record: the text below a tag. Name is in lower case, "" for text
// outside all tags. Inner tags are dropped, entities decoded, and white space collapsed to single
// spaces.
type Element struct {
	Name, Text string
}

// Record is one <DOC> or <top> of a TREC file.
type Record struct {
	Pos      Pos // position of the line with its opening tag
	Elements []Element
}

// Get returns the texts of the elements with the given names in record order, joined by spaces.
func (r Record) Get(names ...string) string {
	var texts []string
	for _, e := range r.Elements {
		for _, name := range names {
			if e.Name == name && e.Text != "" {
				texts = append(texts, e.Text)
			}
		}
	}
	return strings.Join(texts, " ")
}

// SGML streams the records of a TREC file that are enclosed in tags of the given name ("doc",
// "top"), in any case. A field whose tag is not closed, as in TREC topics, ends at the next tag.
// Lines that are not UTF-8 are read as ISO 8859-1, the encoding of collections from the nineties.
// An unclosed record, a record of more than MaxLine bytes and text between records are errors.
func SGML(path, name string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s := sgmlScanner{open: []byte("<" + name), close: []byte("</" + name + ">")}
		for line, err := range rawLines(path) {
			if err == nil {
				err = s.line(line, func(r Record) bool { return yield(r, nil) })
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			if s.stopped {
				return
			}
		}
		if s.inside {
			yield(Record{}, s.start.Errorf("<%s> is not closed", name))
		}
	}
}

// sgmlScanner splits lines into records.
type sgmlScanner struct {
	open, close []byte // "<doc", "</doc>"
	inside      bool
	start       Pos
	body        []byte
	stopped     bool
}

// line takes one line and visits the records that end in it.
func (s *sgmlScanner) line(line Line, visit func(Record) bool) error {
	text := line.Text
	if !utf8.Valid(text) {
		text = latin1(text)
	}
	for !s.stopped {
		if !s.inside {
			at := indexTag(text, s.open)
			before := text
			if at >= 0 {
				before = text[:at]
			}
			if rest := bytes.TrimSpace(stripTags(before)); len(rest) > 0 {
				return line.Pos.Errorf("text outside of %s>: %.40q", s.open, rest)
			}
			if at < 0 {
				return nil
			}
			end := bytes.IndexByte(text[at:], '>')
			if end < 0 {
				return line.Pos.Errorf("%s without >", s.open)
			}
			s.inside, s.start, s.body = true, line.Pos, s.body[:0]
			text = text[at+end+1:]
		}
		at := indexFold(text, s.close)
		if at < 0 {
			s.body = append(append(s.body, text...), '\n')
			if len(s.body) > MaxLine {
				return s.start.Errorf("record longer than %d bytes", MaxLine)
			}
			return nil
		}
		s.body = append(s.body, text[:at]...)
		text = text[at+len(s.close):]
		s.inside = false
		if err := roomForParts(s.body, '<'); err != nil {
			return s.start.Errorf("%w", err)
		}
		s.stopped = !visit(Record{Pos: s.start, Elements: elements(s.body)})
	}
	return nil
}

// latin1 converts ISO 8859-1 to UTF-8.
func latin1(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	for _, b := range text {
		out = utf8.AppendRune(out, rune(b))
	}
	return out
}

// indexFold is bytes.Index ignoring ASCII case; its second argument must be in lower case.
func indexFold(text, what []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], what[0])
		if i < 0 || len(text)-from-i < len(what) {
			return -1
		}
		from += i
		if bytes.EqualFold(text[from:from+len(what)], what) {
			return from
		}
		from++
	}
}

// indexTag finds an opening tag, "<doc>" or "<doc id=1>" but not "<docno>".
func indexTag(text, open []byte) int {
	for from := 0; ; {
		i := indexFold(text[from:], open)
		if i < 0 {
			return -1
		}
		from += i
		after := from + len(open)
		if after < len(text) && (text[after] == '>' || text[after] == ' ' || text[after] == '\t') {
			return from
		}
		from++
	}
}

// elements splits the content of a record into its fields.
func elements(body []byte) []Element {
	var all []Element
	add := func(name string, text []byte) {
		clean := strings.Join(strings.Fields(html.UnescapeString(string(stripTags(text)))), " ")
		if name != "" || clean != "" {
			all = append(all, Element{name, clean})
		}
	}
	for len(body) > 0 {
		t, ok := nextTag(body)
		if !ok {
			add("", body)
			break
		}
		add("", body[:t.start])
		body = body[t.end:]
		if t.closing || t.name == "" {
			continue
		}
		if end := indexFold(body, []byte("</"+t.name+">")); end >= 0 {
			add(t.name, body[:end])
			body = body[end+len(t.name)+3:]
			continue
		}
		end := len(body)
		if next, ok := nextTag(body); ok {
			end = next.start
		}
		add(t.name, body[:end])
		body = body[end:]
	}
	return all
}

// tag is one piece of markup; its name is "" for a comment.
type tag struct {
	name       string // in lower case
	closing    bool
	start, end int
}

// nextTag finds the first tag or comment in text. A "<" is text unless a name that starts with a
// letter follows it, and only attributes follow the name.
func nextTag(text []byte) (tag, bool) {
	for from := 0; ; from++ {
		i := bytes.IndexByte(text[from:], '<')
		if i < 0 {
			return tag{}, false
		}
		from += i
		if t, ok := parseTag(text[from:]); ok {
			t.start += from
			t.end += from
			return t, true
		}
	}
}

// parseTag parses the tag or comment at the start of text.
func parseTag(text []byte) (t tag, ok bool) {
	if bytes.HasPrefix(text, []byte("<!--")) {
		end := bytes.Index(text, []byte("-->"))
		return tag{end: end + 3}, end >= 0
	}
	name := text[1:]
	if t.closing = len(name) > 0 && name[0] == '/'; t.closing {
		name = name[1:]
	}
	n := 0
	for n < len(name) && isNameByte(name[n], n == 0) {
		n++
	}
	end := bytes.IndexAny(name, "<>")
	if n == 0 || end < n || name[end] == '<' {
		return tag{}, false
	}
	t.name = strings.ToLower(string(name[:n]))
	t.end = len(text) - len(name) + end + 1
	attributes := bytes.TrimSpace(name[n:end])
	return t, len(attributes) == 0 || bytes.IndexByte(attributes, '=') > 0
}

func isNameByte(b byte, first bool) bool {
	letter := 'a' <= b|0x20 && b|0x20 <= 'z'
	return letter || !first && ('0' <= b && b <= '9' || b == '-' || b == '_' || b == '.' || b == ':')
}

// stripTags replaces every tag and comment with a space.
func stripTags(text []byte) []byte {
	var out []byte
	for {
		t, ok := nextTag(text)
		if !ok {
			return append(out, text...)
		}
		out = append(append(out, text[:t.start]...), ' ')
		text = text[t.end:]
	}
}
