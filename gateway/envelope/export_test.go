package envelope

// Kept is how many requests the table knows.
func Kept(d *Deduper) int { return len(d.calls) }
