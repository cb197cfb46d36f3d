package repair

import "bytes"

// parts reads content that is a text, a part or a list of parts.
func parts(value []byte) (said, thought []byte) {
	if value[0] == '"' {
		return text(value), nil
	}
	if value[0] == '{' {
		return part(value)
	}
	s := scanner{text: value}
	s.items(func() bool {
		one, ok := s.value()
		if !ok {
			return false
		}
		if one[0] != '{' {
			said = append(said, text(one)...)
			return true
		}
		a, b := part(one)
		said, thought = append(said, a...), append(thought, b...)
		return true
	})
	return said, thought
}

// part reads one part of a content. One that is neither text nor thinking is
// named in the text.
func part(v []byte) (said, thought []byte) {
	kind := plain(get(v, "type"))
	switch kind {
	case "thinking", "reasoning":
		for _, name := range []string{"thinking", "text", "reasoning"} {
			if inner := get(v, name); !isEmpty(inner) {
				a, b := parts(inner)
				return nil, append(a, b...)
			}
		}
		return nil, nil
	case "refusal":
		return text(get(v, "refusal")), nil
	}
	words := get(v, "text")
	if len(words) > 0 && words[0] == '{' {
		words = get(words, "value")
	}
	if said = text(words); said != nil || kind == "" || kind == "text" || kind == "output_text" {
		return said, nil
	}
	return named(kind, v), nil
}

// maxLink is the longest address that stands in the name of a part.
const maxLink = 2 << 10

// named says that there was a part of a kind that is no text, and where it is if
// it has an address on the web.
func named(kind string, v []byte) []byte {
	out := append([]byte{'['}, kind...)
	link := get(v, kind)
	if len(link) > 0 && link[0] == '{' {
		link = get(link, "url")
	}
	url := text(link)
	if len(url) <= maxLink && (bytes.HasPrefix(url, []byte("https://")) || bytes.HasPrefix(url, []byte("http://"))) {
		out = append(append(out, ": "...), url...)
	}
	return append(out, ']')
}
