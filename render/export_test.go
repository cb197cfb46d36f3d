package render

// Inner functions for table tests.
var (
	ClockTime = clockTime
	ShortTime = shortTime
	Tokens    = tokens
	Size      = size
	Number    = number
	Cost      = unicodeGlyphs.cost
	CallText  = callText
)

// WordTables gives the tables of our own words to the tests.
func WordTables() []any { return []any{chinese, english} }
