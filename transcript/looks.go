package transcript

// charset is a set of ASCII bytes.
type charset [256]bool

// setOf makes a set of letters, digits and the other bytes given.
func setOf(others string) *charset {
	var set charset
	for c := range 128 {
		set[c] = isAlnum(byte(c))
	}
	for _, c := range []byte(others) {
		set[c] = true
	}
	return &set
}

// run returns the end of the bytes of the set that s has from the index i on.
func (set *charset) run(s string, i int) int {
	for i < len(s) && set[s[i]] {
		i++
	}
	return i
}

// looked is how many bytes are looked at to tell whether they look random.
const looked = 256

// randomRun is run if that has at least least bytes and looks random, else i.
func (set *charset) randomRun(s string, i, least int) int {
	to := set.run(s[:min(len(s), i+looked)], i)
	if to-i < least || !looksRandom(s[i:to]) {
		return i
	}
	return set.run(s, to)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlnum(c byte) bool { return isDigit(c) || isUpper(c) || isLower(c) }

// begins reports whether a word can begin at s[i]: nothing of a word stands
// before it, or an escape of a URL does.
func begins(s string, i int) bool {
	if i == 0 || !isAlnum(s[i-1]) && s[i-1] != '_' {
		return true
	}
	return i >= 3 && s[i-3] == '%' && isHex(s[i-2]) && isHex(s[i-1])
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// Lengths from which on a part of a word looks random.
const (
	randomMixed   = 6  // letters and digits
	randomCases   = 12 // capitals and small letters in about equal number
	randomDigits  = 16 // digits only
	randomLetters = 24 // no word is as long
)

// looksRandom reports whether s is rather drawn by lot than written: one of
// its parts, which anything but letters and digits divides, mixes letters and
// digits, mixes cases as no name does, or is very long.
func looksRandom(s string) bool {
	var digits, upper, lower int
	for i := 0; i <= len(s); i++ {
		switch {
		case i < len(s) && isDigit(s[i]):
			digits++
		case i < len(s) && isUpper(s[i]):
			upper++
		case i < len(s) && isLower(s[i]):
			lower++
		default:
			if randomPart(digits, upper, lower) {
				return true
			}
			digits, upper, lower = 0, 0, 0
		}
	}
	return false
}

func randomPart(digits, upper, lower int) bool {
	letters := upper + lower
	switch {
	case digits > 0 && letters > 0:
		return digits+letters >= randomMixed
	case letters == 0:
		return digits >= randomDigits
	}
	return letters >= randomLetters || letters >= randomCases && 3*upper >= letters && 3*lower >= letters
}
