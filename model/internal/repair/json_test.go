package repair_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/model/internal/repair"
)

// FuzzValid compares the scanner with encoding/json.
func FuzzValid(f *testing.F) {
	for _, text := range []string{
		"{}", "[]", `""`, "0", "-0.5e+7", "01", "1.", "tru", `{"a":[1,{"b":null}],"c":"\u00e9\n"}`, `{"a" 1}`, `[1,]`, `{"a":1,}`, "\"\t\"", `"\x"`, " 1 ", "1 2", `"\ud83d"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "[")+strings.Count(text, "{") > 400 {
			t.Skip("nested deeper than is allowed")
		}
		if got, want := repair.Valid([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%q: valid %v, want %v", text, got, want)
		}
	})
}

func TestDeepNestingIsRefused(t *testing.T) {
	if deep := strings.Repeat("[", 1_000_000); repair.Valid([]byte(deep)) {
		t.Error("a million brackets are valid")
	}
}

// TestUnquoteAsTheStandardLibrary: where text is whole, both read the same.
func TestUnquoteAsTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		got, damaged := repair.Whole(repair.Unquote(quoted[1 : len(quoted)-1]))
		if damaged || got != text {
			t.Fatalf("%s became %q, want %q", quoted, got, text)
		}
	})
}

// TestWholeFromAnyCut cuts text anywhere, also inside characters, and escapes
// the halves of pairs.
func TestWholeFromAnyCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("aé汉😀🎭"))).Draw(t, "text")
		raw := []byte(text)
		cut := rapid.IntRange(0, len(raw)).Draw(t, "cut")
		got, damaged := repair.Whole(append(raw[:cut:cut], raw[cut:]...))
		if damaged || got != text {
			t.Fatalf("%q became %q", text, got)
		}
		halves := strings.NewReplacer("😀", `\ud83d\ude00`).Replace(text)
		at := strings.Index(halves, `\ude00`)
		if at < 0 {
			return
		}
		joined := append(repair.Unquote([]byte(halves[:at])), repair.Unquote([]byte(halves[at:]))...)
		if got, damaged := repair.Whole(joined); damaged || got != text {
			t.Fatalf("halves of %q became %q", text, got)
		}
	})
}

func TestWholeReplacesWhatStaysBroken(t *testing.T) {
	for in, want := range map[string]string{
		"a\xff\xfeb": "a\uFFFDb", "\xe6\xb1": "\uFFFD", "\xed\xa0\xbd": "\uFFFD", "\xed\xb8\x80\xed\xa0\xbd": "\uFFFD", "ok": "ok",
	} {
		got, damaged := repair.Whole([]byte(in))
		if got != want || damaged != (in != want) || !utf8.ValidString(got) {
			t.Errorf("%q became %q (damaged %v), want %q", in, got, damaged, want)
		}
	}
}
