package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{Lang: "zh"})
	tests := []struct {
		name, content string
		in            args
		want          string
	}{
		{"plain.txt", "a\nb\n", nil, "plain.txt (4 bytes, lines 1-2 of 2)\na\nb\n"},
		{"open.txt", "a\nb", nil, "open.txt (3 bytes, lines 1-2 of 2, no final newline)\na\nb"},
		{"crlf.txt", "a\r\n\r\n", nil, "crlf.txt (5 bytes, lines 1-2 of 2)\na\r\n\r\n"},
		{"empty.txt", "", nil, "empty.txt (0 bytes, empty)\n"},
		{"newline.txt", "\n", nil, "newline.txt (1 bytes, lines 1-1 of 1)\n\n"},
		{"control.txt", "\x1b[31m\x07\n", nil, "control.txt (7 bytes, lines 1-1 of 1)\n\x1b[31m\x07\n"},
		{"window.txt", "a\nb\nc\nd\n", args{"offset": 1, "limit": 2}, "window.txt (8 bytes, lines 2-3 of 4)\nb\nc\n… 1 more; go on with offset=3\n"},
		{"last.txt", "a\nb", args{"offset": 1}, "last.txt (3 bytes, lines 2-2 of 2, no final newline)\nb"},
		{"first.txt", "a\nb", args{"limit": 1}, "first.txt (3 bytes, lines 1-1 of 2)\na\n… 1 more; go on with offset=1\n"},
		{"below.txt", "a\n", args{"offset": -3, "limit": -1}, "below.txt (2 bytes, lines 1-1 of 1)\na\n"},
		{"invalid.txt", "a\xff\xe4\xb8\n", nil, "invalid.txt (5 bytes, lines 1-1 of 1, 3 bytes are not UTF-8 and shown as U+FFFD)\na\uFFFD\uFFFD\uFFFD\n"},
		{"logo.png", "\x89PNG\r\n\x1a\n\x00\x00", nil, "logo.png (10 bytes, binary, image/png)\n"},
		{"wide.txt", "\xff\xfea\x00", nil, "wide.txt (4 bytes, binary, text/plain; charset=utf-16le)\n"},
		{"new\nline.txt", "x\n", nil, "\"new\\nline.txt\" (2 bytes, lines 1-1 of 1)\nx\n"},
		{"中文.txt", "文\n", nil, "中文.txt (4 bytes, lines 1-1 of 1)\n文\n"},
	}
	for _, test := range tests {
		b.put(test.name, test.content)
		in := args{"path": test.name}
		maps.Copy(in, test.in)
		if got := b.ok("read_file", in); got != test.want {
			t.Errorf("%q:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

func TestReadFilePastTheEnd(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a.txt", "a\nb\n")
	if err := b.bad("read_file", args{"path": "a.txt", "offset": 2}); !strings.Contains(err.Error(), "2") {
		t.Errorf("error %v does not say how many lines there are", err)
	}
}

// TestReadFilePages reads a file in pieces, each where the last one says, and
// gets all of it.
func TestReadFilePages(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	for name, content := range map[string]string{
		"lines.txt": numbered(5001),
		"bytes.txt": strings.Repeat(strings.Repeat("x", 999)+"\n", 200),
		"runes.txt": strings.Repeat(strings.Repeat("长", 5000)+"\n", 9),
		"open.txt":  numbered(2500) + "end",
	} {
		b.put(name, content)
		var all strings.Builder
		pages := 0
		for offset := 0; ; pages++ {
			got := b.ok("read_file", args{"path": name, "offset": offset})
			if len(got) > 64<<10+200 {
				t.Errorf("%s: a page of %d bytes", name, len(got))
			}
			_, body, _ := strings.Cut(got, "\n")
			next, rest := continued(t, body)
			all.WriteString(rest)
			if next == 0 {
				break
			}
			if next <= offset {
				t.Fatalf("%s: offset %d leads to %d", name, offset, next)
			}
			offset = next
		}
		if all.String() != content {
			t.Errorf("%s: the pages make %d bytes, want %d", name, all.Len(), len(content))
		}
		if pages == 0 {
			t.Errorf("%s came in one page", name)
		}
	}
}

// continued takes the paging line from the end of a result.
func continued(t *testing.T, body string) (offset int, rest string) {
	t.Helper()
	at := strings.LastIndex(strings.TrimSuffix(body, "\n"), "\n") + 1
	var left int
	if n, err := fmt.Sscanf(body[at:], "… %d more; go on with offset=%d\n", &left, &offset); n != 2 || err != nil {
		return 0, body
	}
	if left <= 0 {
		t.Errorf("the paging line tells of %d more", left)
	}
	return offset, body[:at]
}

func TestReadFileLongLine(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	const most = 16 << 10
	for name, test := range map[string]struct{ line, shown string }{
		"fits":  {strings.Repeat("x", most), strings.Repeat("x", most)},
		"ascii": {strings.Repeat("x", most+5), strings.Repeat("x", most) + "… [line cut, 5 more bytes; search_files finds text in it]"},
		"runes": {"x" + strings.Repeat("长", 6000), "x" + strings.Repeat("长", 5461) + "… [line cut, 1617 more bytes; search_files finds text in it]"},
		"huge":  {strings.Repeat("x", 1<<20), strings.Repeat("x", most) + fmt.Sprintf("… [line cut, %d more bytes; search_files finds text in it]", 1<<20-most)},
	} {
		b.put(name, test.line+"\nnext\n")
		want := fmt.Sprintf("%s (%d bytes, lines 1-2 of 2)\n%s\nnext\n", name, len(test.line)+6, test.shown)
		if got := b.ok("read_file", args{"path": name}); got != want {
			t.Errorf("%s: got %d bytes, want %d; end %q", name, len(got), len(want), got[max(0, len(got)-100):])
		}
	}
}

func TestReadFileHeedsTheContext(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a.txt", "secret\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, in := range everyTool("a.txt") {
		if tool == "list_dir" {
			in["path"] = "."
		}
		arguments, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.set.Run(ctx, tool, tools.Call{Arguments: arguments}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %q, %v, want the context's error", tool, got, err)
		}
	}
}
