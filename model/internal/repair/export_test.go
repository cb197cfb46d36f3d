package repair

import "io"

// Inner parts that have properties of their own.
var (
	Valid   = valid
	Unquote = unquote
)

// Lines returns the lines that a body is read as.
func Lines(r io.Reader) ([]string, error) {
	l := lines{r: r}
	var out []string
	for {
		one, err := l.next()
		if err != nil {
			return out, err
		}
		out = append(out, string(one.text))
	}
}

// Fits reports whether a value obeys a schema.
func Fits(schemaText, value string) bool {
	s := readSchema([]byte(schemaText))
	return s.fits([]byte(value))
}
