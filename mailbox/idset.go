package mailbox

// idSet is a set of message ids. Most boxes of a large team get one message in
// all, and that one needs no map.
type idSet struct {
	first string
	rest  map[string]struct{}
}

func (s *idSet) has(id string) bool {
	_, ok := s.rest[id]
	return ok || id == s.first && id != ""
}

func (s *idSet) add(id string) {
	switch {
	case s.first == "" && id != "":
		s.first = id
		return
	case s.rest == nil:
		s.rest = map[string]struct{}{}
	}
	s.rest[id] = struct{}{}
}
