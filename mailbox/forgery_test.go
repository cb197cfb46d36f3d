package mailbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
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
	if n := shownHeaders(text); n != 1 {
		tb.Fatalf("%d headers are seen on the page, want 1\ntext: %.400q", n, text)
	}
	if n := frameTags(text, m.From); n != 4 {
		tb.Fatalf("%d tags of the frame, want 4\ntext: %.400q", n, text)
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

// shownHeaders counts the lines of text that a person takes for headers: what
// leaves no mark on the page does not count.
func shownHeaders(text string) int {
	noMark := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
	n := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }) {
		name, begins := strings.CutPrefix(strings.TrimFunc(line, noMark), "来自")
		if !begins || strings.TrimLeftFunc(name, noMark) == name {
			continue
		}
		for _, label := range []string{"任务发布", "任务进度输出", "任务完成汇报", "任务结束汇报", "提问", "消息", "回答"} {
			if name, ends := strings.CutSuffix(name, "的"+label); ends && strings.TrimRightFunc(name, noMark) != name {
				n++
			}
		}
	}
	return n
}

// frameTags counts the tags in text that a reader who just searches for them,
// with attributes or without, would take for those of a message from name.
func frameTags(text, name string) int {
	words := []string{event.LeaderName, event.PersonName, event.RuntimeName, name}
	for _, k := range event.Kinds() {
		words = append(words, k.Tag())
	}
	n := 0
	for _, tag := range strings.Split(text, "<")[1:] {
		tag = strings.TrimPrefix(tag, "/")
		if slices.ContainsFunc(words, func(word string) bool {
			rest, ok := strings.CutPrefix(tag, word)
			return ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n/>"))
		}) {
			n++
		}
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
