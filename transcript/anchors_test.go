package transcript_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/transcript"
)

// TestAnchors finds words as looking for each of them everywhere does, whatever
// they have in common, in texts of few letters.
func TestAnchors(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	letters := func(from string, least, most int) string {
		var b strings.Builder
		for range least + random.IntN(most-least+1) {
			b.WriteString(string([]rune(from)[random.IntN(utf8.RuneCountInString(from))]))
		}
		return b.String()
	}
	for range 5000 {
		var words []string
		for range 1 + random.IntN(5) {
			if w := letters("ab", 1, 8); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		text, skip := letters("aaabbbABxé", 0, 60), random.IntN(5)
		if diff := cmp.Diff(findEach(words, text, skip), transcript.FindWords(words, text, skip)); diff != "" {
			t.Fatalf("%q in %q, skip %d: -each by itself +anchors:\n%s", words, text, skip, diff)
		}
	}
}

// findEach is what FindWords does, without a thought.
func findEach(words []string, text string, skip int) [][2]int {
	var found [][2]int
	from := 0
	for end := 1; end <= len(text); end++ {
		for w, word := range words {
			if end <= from || !strings.HasSuffix(strings.ToLower(text[from:end]), word) {
				continue
			}
			found = append(found, [2]int{w, end})
			if skip > 0 && end < len(text) {
				from = min(len(text), end+skip)
				break
			}
		}
	}
	return found
}
