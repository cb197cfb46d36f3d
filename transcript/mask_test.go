package transcript_test

import (
	"encoding/json"
	"testing"

	"github.com/troupe-go/troupe/transcript"
)

func TestMaskText(t *testing.T) {
	mask := transcript.NewMask("secret1", "secret1-longer", "five5", "", "a b&c/d\"e", "schlüssel")
	tests := []struct{ name, in, want string }{
		{"none", "nothing to hide", "nothing to hide"},
		{"empty", "", ""},
		{"alone", "secret1", "[masked]"},
		{"inside", "xsecret1y", "x[masked]y"},
		{"twice", "secret1 secret1", "[masked] [masked]"},
		{"longest first", "secret1-longer", "[masked]"},
		{"too short", "five5", "five5"},
		{"part", "secret", "secret"},
		{"raw", `a b&c/d"e`, "[masked]"},
		{"JSON", `{"k":"a b&c/d\"e"}`, `{"k":"[masked]"}`},
		{"JSON with escaped HTML", `{"k":"a b\u0026c/d\"e"}`, `{"k":"[masked]"}`},
		{"JSON with escaped slash", `{"k":"a b&c\/d\"e"}`, `{"k":"[masked]"}`},
		{"URL query", "?k=a+b%26c%2Fd%22e&x=1", "?k=[masked]&x=1"},
		{"URL path", "/a%20b&c%2Fd%22e/x", "/[masked]/x"},
		{"not ASCII", "der schlüssel ist", "der [masked] ist"},
		{"not ASCII in a URL", "?k=schl%C3%BCssel", "?k=[masked]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mask.Text(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestMaskJSON(t *testing.T) {
	mask := transcript.NewMask("secret1", "1234567", `","b":"`, `q"uote"d`)
	tests := []struct{ name, in, want string }{
		{"empty", ``, ``},
		{"none", `{"a":[1,"x",null]}`, `{"a":[1,"x",null]}`},
		{"value", `{"a":"my secret1"}`, `{"a":"my [masked]"}`},
		{"key", `{"secret1":1}`, `{"[masked]":1}`},
		{"escaped", `{"a":"\u0073ecret1"}`, `{"a":"[masked]"}`},
		{"with quotes", `{"a":"q\"uote\"d"}`, `{"a":"[masked]"}`},
		{"only inside strings", `{"a":"","b":""}`, `{"a":"","b":""}`},
		{"numbers stay numbers", `{"a":1234567,"b":"1234567"}`, `{"a":1234567,"b":"[masked]"}`},
		{"backslash at the end", `{"a":"\\","b":"secret1"}`, `{"a":"\\","b":"[masked]"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(mask.JSON([]byte(tt.in)))
			if got != tt.want {
				t.Errorf("JSON(%s) = %s, want %s", tt.in, got, tt.want)
			}
			if tt.in != "" && !json.Valid([]byte(got)) {
				t.Errorf("JSON(%s) = %s, which is no JSON", tt.in, got)
			}
		})
	}
}

func TestMaskNothing(t *testing.T) {
	var none *transcript.Mask
	for _, mask := range []*transcript.Mask{none, transcript.NewMask(), transcript.NewMask("short")} {
		if got := mask.Text("a short text"); got != "a short text" {
			t.Errorf("Text = %q, want it unchanged", got)
		}
		if got := string(mask.JSON([]byte(`"a short text"`))); got != `"a short text"` {
			t.Errorf("JSON = %s, want it unchanged", got)
		}
	}
}
