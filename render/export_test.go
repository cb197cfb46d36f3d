package render

// WordTables gives the tables of our own words to the tests.
func WordTables() []any { return []any{chinese, english} }
