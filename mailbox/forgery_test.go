package mailbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// forgery is one attack of testdata/forgery: what a participant says to be
// taken for somebody else, for more than one message, or for the runtime.
type forgery struct {
	Name    string
	Attack  string // the family, which names the file
	From    string // display name of who says it
	Kind    mailbox.Kind
	Content string
	Gen     *struct {
		Prefix, Unit, Suffix string
		Times                int
	} `json:"content_gen"` // in place of a content that is too long to read
	// Role is the name of a role, on attacks by name; Refused says why no role
	// may have it: "reserved", "invalid", or empty when one may.
	Role    *string
	Refused string
	Why     string
}

// message is the attack as one message with this id.
func (f forgery) message(id string) mailbox.Message {
	m := mailbox.Message{ID: id, Kind: f.Kind, From: f.From, Content: f.Content}
	if g := f.Gen; g != nil {
		m.Content = g.Prefix + strings.Repeat(g.Unit, g.Times) + g.Suffix
	}
	return m
}

// forgeries reads the corpus.
func forgeries(tb testing.TB) []forgery {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "forgery", "*.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var all []forgery
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		var family []forgery
		if err := json.Unmarshal(data, &family); err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		for _, f := range family {
			if f.Attack+".json" != filepath.Base(path) {
				tb.Errorf("%s: %s is of the family %q", path, f.Name, f.Attack)
			}
		}
		all = append(all, family...)
	}
	return all
}

// TestForgeryCorpus checks that the corpus is whole: a glob that matches
// nothing would make every other test here pass.
func TestForgeryCorpus(t *testing.T) {
	all := forgeries(t)
	if len(all) < 220 {
		t.Errorf("the corpus has %d attacks, want at least 220", len(all))
	}
	seen := map[string]bool{}
	escaped := 0
	for _, f := range all {
		m := f.message("id_1")
		if f.Name == "" || seen[f.Name] || f.Why == "" || strings.TrimSpace(m.Content) == "" {
			t.Errorf("attack %q: the name is empty or taken, or a field is missing", f.Name)
		}
		seen[f.Name] = true
		if !utf8.ValidString(m.Content) || strings.ContainsRune(m.Content, utf8.RuneError) {
			t.Errorf("%s: the content is not what its author wrote", f.Name)
		}
		if written(t, f.From, m.Content) != m.Content {
			escaped++
		}
	}
	if escaped < len(all)/3 {
		t.Errorf("%d of %d attacks need an escape; the corpus has no teeth", escaped, len(all))
	}
}

// TestForgery: whatever is said, it is one message of its true sender, byte
// for byte: alone, between two others, and quoted in messages of others.
func TestForgery(t *testing.T) {
	for _, f := range forgeries(t) {
		t.Run(f.Name, func(t *testing.T) {
			m := f.message("x_uio_001")
			checkForged(t, m)
			for level, from := range []string{"Full-Stack Engineer_1", f.From, "Team Leader"} {
				quoted := mustFormat(t, m)
				m = mailbox.Message{ID: fmt.Sprintf("q_%d", level), Kind: event.Kinds()[level], From: from, Content: quoted}
				checkForged(t, m)
			}
		})
	}
}

// checkForged checks that nobody finds more than the one message in m: not
// our reader, not one that looks for header lines, not one that looks for
// closing tags.
func checkForged(tb testing.TB, m mailbox.Message) {
	tb.Helper()
	checkRoundTrip(tb, m)
	text := mustFormat(tb, m)
	if n := closingTags(text, m.From); n != 2 {
		tb.Fatalf("%d closing tags of the frame, want 2\ntext: %.400q", n, text)
	}
	before, after := ordinary("msg_tl_001"), mailbox.Message{ID: "out_fse_001", Kind: mailbox.Progress, From: "Full-Stack Engineer_1", Content: "照旧。"}
	if n := carelessHeaders(mustFormat(tb, before, m, after)); n != 3 {
		tb.Fatalf("a careless reader finds %d headers in a batch of three\ntext: %.400q", n, text)
	}
	batch, err := mailbox.ParseAll(mustFormat(tb, before, m, after))
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff([]mailbox.Message{before, m, after}, batch); diff != "" {
		tb.Fatalf("the batch differs (-want +got):\n%.2000s", diff)
	}
}

// closingTags counts the closing tags in text that a reader who just searches
// for them would take for those of a message from name.
func closingTags(text, name string) int {
	words := map[string]bool{name: true, event.LeaderName: true, event.PersonName: true, event.RuntimeName: true}
	for _, k := range event.Kinds() {
		words[k.Tag()] = true
	}
	n := 0
	for word := range words {
		n += strings.Count(text, "</"+word+">")
	}
	return n
}

// TestForgedNames: names that could be taken for those of the leader, the
// person or the runtime are refused, and messages of the others keep them.
func TestForgedNames(t *testing.T) {
	names := 0
	for _, f := range forgeries(t) {
		if f.Role == nil {
			continue
		}
		names++
		t.Run(f.Name, func(t *testing.T) {
			shown := *f.Role + "_1"
			reserved := mailbox.ReservedName(*f.Role)
			invalid := errors.Join(mailbox.ValidName(*f.Role), mailbox.ValidName(shown))
			switch f.Refused {
			case "reserved":
				if !reserved {
					t.Errorf("ReservedName(%q) = false, want true", *f.Role)
				}
			case "invalid":
				if invalid == nil {
					t.Errorf("%q and %q are valid names, want an error", *f.Role, shown)
				}
			default:
				if reserved || invalid != nil {
					t.Fatalf("%q: reserved %t, %v, want a name that a role may have", *f.Role, reserved, invalid)
				}
				m := f.message("out_x_001")
				m.From = shown
				checkForged(t, m)
			}
		})
	}
	if names < 40 {
		t.Errorf("%d attacks by name, want at least 40", names)
	}
}

// TestRandomForgeries joins pieces of attacks at random.
func TestRandomForgeries(t *testing.T) {
	const cases = 2_000
	senders := []string{"UI Operator_1", "Full-Stack Engineer_1", "Team Leader", "User", "Troupe", "我的 的_1", "Output"}
	var contents []string
	for _, f := range forgeries(t) {
		if f.Gen == nil {
			contents = append(contents, f.Content)
		}
	}
	glue := []string{"", "", "\n", "\r\n", "\u2028", " ", "\n\n", "\u200b", "&", "<", "</", "来", "\n来自"}
	kinds := event.Kinds()
	rng := rand.New(rand.NewPCG(3, 4))
	for range cases {
		var b strings.Builder
		for range 1 + rng.IntN(4) {
			b.WriteString(glue[rng.IntN(len(glue))])
			b.WriteString(piece(rng, contents[rng.IntN(len(contents))]))
		}
		m := mailbox.Message{
			ID: "id_1", Kind: kinds[rng.IntN(len(kinds))], From: senders[rng.IntN(len(senders))], Content: b.String(),
		}
		if m.Kind == mailbox.Answer {
			m.QuestionID = "ask_uio_001"
		}
		checkForged(t, m)
	}
}

// piece cuts s between two runes, three times out of four.
func piece(rng *rand.Rand, s string) string {
	runes := []rune(s)
	from, to := rng.IntN(len(runes)+1), rng.IntN(len(runes)+1)
	if rng.IntN(4) == 0 {
		return s
	}
	return string(runes[min(from, to):max(from, to)])
}
