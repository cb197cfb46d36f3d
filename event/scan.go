package event

import "bytes"

// decodeOwn reads a line that is as [Record.AppendJSON] writes it, of a type
// and with fields that are all known. That is several times faster than
// reading it as any JSON. It reports false for all other lines, and whenever
// it is in doubt.
func decodeOwn(line []byte) (Record, bool) {
	env, ok := scanEnvelope(line)
	if !ok || env.check() != nil {
		return Record{}, false
	}
	decode, ok := decoders[env.Type]
	if !ok {
		return Record{}, false
	}
	rec := env.record()
	d, known, err := decode(env.Data)
	rec.Data = d
	return rec, known && err == nil
}

// scanEnvelope reads the fields of the envelope. What it takes for the data is
// all that stands before the last brace, so it shows only on decoding whether
// that is one value.
func scanEnvelope(line []byte) (env envelope, ok bool) {
	s := scanner{rest: line, ok: true}
	s.must(`{"v":`)
	env.V = int(s.number())
	s.must(`,"seq":`)
	env.Seq = s.number()
	s.must(`,"ts":"`)
	ts := s.text()
	s.must(`,"type":"`)
	env.Type = Type(s.text())
	if s.skip(`,"agent":"`) {
		env.Agent = string(s.text())
	}
	if s.skip(`,"turn":`) {
		env.Turn = int(s.number())
	}
	s.must(`,"data":`)
	env.Data, ok = bytes.CutSuffix(s.rest, []byte("}"))
	return env, ok && s.ok && env.Time.UnmarshalText(ts) == nil
}

// scanner eats a line from the front. Once something was not as expected, ok
// is false and stays so.
type scanner struct {
	rest []byte
	ok   bool
}

// skip eats prefix if it comes next.
func (s *scanner) skip(prefix string) bool {
	if len(s.rest) < len(prefix) || string(s.rest[:len(prefix)]) != prefix {
		return false
	}
	s.rest = s.rest[len(prefix):]
	return true
}

// must eats prefix, which has to come next.
func (s *scanner) must(prefix string) {
	if !s.skip(prefix) {
		s.ok = false
	}
}

// number eats digits, as JSON has them.
func (s *scanner) number() int64 {
	const most = 18 // digits that always fit
	var n int64
	i := 0
	for ; i < len(s.rest) && s.rest[i] >= '0' && s.rest[i] <= '9'; i++ {
		n = 10*n + int64(s.rest[i]-'0')
	}
	if i == 0 || i > most || (i > 1 && s.rest[0] == '0') {
		s.ok = false
	}
	s.rest = s.rest[i:]
	return n
}

// text eats a string and the quote behind it, if nothing in it is escaped.
func (s *scanner) text() []byte {
	text, rest, found := bytes.Cut(s.rest, []byte{'"'})
	if !found || !plain(text) {
		s.ok = false
	}
	s.rest = rest
	return text
}

// plain reports whether s stands in JSON as it is.
func plain(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
