package mailbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// hostileCase is one file of testdata/hostile.
type hostileCase struct {
	Name       string
	From       string
	Kind       string // the label
	ID         string
	QuestionID string `json:"question_id"`
	Content    string
	Base64     []byte `json:"content_b64"`
	Gen        *struct {
		Prefix, Unit, Suffix string
		Times                int
	} `json:"content_gen"`
	Bytes  int    `json:"content_bytes"`
	SHA256 string `json:"content_sha256"`
	Expect string
	Why    string
}

// message is the case as a message; an unknown label becomes an unknown kind.
func (c hostileCase) message() mailbox.Message {
	m := mailbox.Message{
		ID: c.ID, Kind: mailbox.Kind(c.Kind), From: c.From, QuestionID: c.QuestionID, Content: c.Content,
	}
	for _, k := range event.Kinds() {
		if k.Label() == c.Kind {
			m.Kind = k
		}
	}
	switch {
	case c.Base64 != nil:
		m.Content = string(c.Base64)
	case c.Gen != nil:
		m.Content = c.Gen.Prefix + strings.Repeat(c.Gen.Unit, c.Gen.Times) + c.Gen.Suffix
	}
	return m
}

// readCases decodes all files that match the pattern below testdata.
func readCases[T any](tb testing.TB, pattern string) []T {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no cases match %s: %v", pattern, err)
	}
	cases := make([]T, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		if err := json.Unmarshal(data, &cases[i]); err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
	}
	return cases
}

func hostileCases(tb testing.TB) []hostileCase {
	tb.Helper()
	return readCases[hostileCase](tb, "hostile/*.json")
}

// careless matches the lines that a careless reader takes for headers, who
// trims lines and does not care for names.
var careless = regexp.MustCompile(`^[\s\p{Z}\p{Cf}]*来自[\s\p{Z}](?:.*[\s\p{Z}])?的(?:任务发布|任务进度输出|任务完成汇报|任务结束汇报|提问|消息|回答)[\s\p{Z}\p{Cf}]*$`)

// carelessHeaders counts the headers in text for a careless reader who takes
// anything for a line end.
func carelessHeaders(text string) int {
	n := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }) {
		if strings.Contains(line, "来自") && careless.MatchString(line) {
			n++
		}
	}
	return n
}

// ordinary is a message for the places around a hostile one.
func ordinary(id string) mailbox.Message {
	return mailbox.Message{ID: id, Kind: mailbox.Note, From: "Team Leader", Content: "请继续。"}
}

// mustFormat formats all messages and joins them to a batch.
func mustFormat(tb testing.TB, messages ...mailbox.Message) string {
	tb.Helper()
	texts := make([]string, len(messages))
	for i, m := range messages {
		text, err := mailbox.Format(m)
		if err != nil {
			tb.Fatalf("Format(%+.200v): %v", m, err)
		}
		texts[i] = text
	}
	return strings.Join(texts, "\n\n")
}

// checkRoundTrip checks that m survives alone and in the middle of a batch,
// and that neither our reader nor a careless one finds a second message in it.
func checkRoundTrip(tb testing.TB, m mailbox.Message) {
	tb.Helper()
	text := mustFormat(tb, m)
	got, err := mailbox.Parse(text)
	if err != nil {
		tb.Fatalf("Parse: %v\ntext: %.400q", err, text)
	}
	if got != m {
		tb.Fatalf("Parse(Format(m)) differs:\n%s\ntext: %.400q", cmp.Diff(m, got), text)
	}
	if n := carelessHeaders(text); n != 1 {
		tb.Fatalf("a careless reader finds %d headers, want 1\ntext: %.400q", n, text)
	}
	want := []mailbox.Message{ordinary("msg_tl_001"), m, ordinary("msg_tl_002")}
	batch, err := mailbox.ParseAll(mustFormat(tb, want...))
	if err != nil {
		tb.Fatalf("ParseAll: %v\ntext: %.400q", err, text)
	}
	if diff := cmp.Diff(want, batch); diff != "" {
		tb.Fatalf("the batch differs (-want +got):\n%.2000s", diff)
	}
}

func TestHostileCases(t *testing.T) {
	for _, c := range hostileCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			m := c.message()
			if c.SHA256 != "" {
				sum := sha256.Sum256([]byte(m.Content))
				if got := hex.EncodeToString(sum[:]); got != c.SHA256 || len(m.Content) != c.Bytes {
					t.Fatalf("the content has %d bytes and sum %s, want %d and %s", len(m.Content), got, c.Bytes, c.SHA256)
				}
			}
			switch c.Expect {
			case "roundtrip":
				checkRoundTrip(t, m)
			case "reject":
				text, err := mailbox.Format(m)
				fault, ok := errors.AsType[*mailbox.FormatError](err)
				if !ok {
					t.Fatalf("Format = %.200q, %v, want a *FormatError (%s)", text, err, c.Why)
				}
				if want := faultyField(c.Name); fault.Field != want || fault.Reason == "" {
					t.Errorf("Format blames %q because it %q, want field %q and a reason", fault.Field, fault.Reason, want)
				}
			default:
				t.Fatalf("unknown expectation %q", c.Expect)
			}
		})
	}
}

// faultyField is the field that a case of this name must be refused for; the
// first letters of the names group the cases.
func faultyField(name string) string {
	switch {
	case strings.Contains(name, "-qid-"):
		return "question_id"
	case strings.HasPrefix(name, "d"):
		return "content"
	case strings.HasPrefix(name, "h"):
		return "from"
	case strings.HasPrefix(name, "i"):
		return "id"
	case strings.HasPrefix(name, "j"):
		return "kind"
	}
	return ""
}

// rawCase is one file of testdata/hostile/raw: a text for the parser.
type rawCase struct {
	Name, Raw, Why, Expect, Detail string
}

func rawCases(tb testing.TB) []rawCase {
	tb.Helper()
	return readCases[rawCase](tb, "hostile/raw/*.json")
}

func TestRawCases(t *testing.T) {
	// The cases that leave it open are decided here.
	open := map[string]bool{
		"r03-leading-bom":           false,
		"r15-attr-single-quotes":    true,
		"r20-target-form":           true,
		"r25-empty-content-no-line": false,
	}
	for _, c := range rawCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			accept := c.Expect == "ok"
			if c.Expect == "reject_or_ok" {
				var decided bool
				if accept, decided = open[c.Name]; !decided {
					t.Fatal("the case is not decided")
				}
			}
			m, err := mailbox.Parse(c.Raw)
			all, allErr := mailbox.ParseAll(c.Raw)
			if accept {
				if err != nil || allErr != nil {
					t.Fatalf("Parse: %v, ParseAll: %v, want no errors", err, allErr)
				}
				if strings.Contains(m.From, "向") || len(all) != 1 || all[0] != m {
					t.Errorf("Parse = %+v, ParseAll = %+v", m, all)
				}
				return
			}
			for _, err := range []error{err, allErr} {
				if fault, ok := errors.AsType[*mailbox.ParseError](err); !ok || fault.Line < 1 || fault.Reason == "" {
					t.Errorf("error %v, want a *ParseError with line and reason (%s)", err, c.Why)
				}
			}
			if all != nil || m != (mailbox.Message{}) {
				t.Errorf("an error came with messages: %+v, %+v", m, all)
			}
		})
	}
}
