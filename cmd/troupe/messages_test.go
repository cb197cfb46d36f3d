package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMessages(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct {
		name, text string
		limit      int
		want       []string // LINE:TEXT
	}{
		{"none", "", 100, nil},
		{"blank lines", "\n \t\r\n\n", 100, nil},
		{"lines", "a\r\n\nb\nc", 100, []string{"1:a", "3:b", "4:c"}},
		{"over several lines", "{\r\n \"a\": {\r\n }\r\n}\n{}\n{\n}\n", 100, []string{"1:{\n \"a\": {\n }\n}", "5:{}", "6:{\n}"}},
		{"no end", "{\n\"a\"", 100, []string{"1:{\n\"a\""}},
		{"only the beginning", "{", 100, []string{"1:{"}},
		{"indented", " {\n }\n", 100, []string{"1: {", "2: }"}},
		{"long lines", long + "\n" + long, 300_000, []string{"1:" + long, "2:" + long}},
		{"too long a line", long + "\na\n", 3, []string{"1:xxxx", "2:a"}},
		{"too long a block", "{\n" + long + "\n}\na\n", 3, []string{"1:{\nxx", "4:a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMessages(iotest.HalfReader(strings.NewReader(tt.text)), tt.limit)
			var got []string
			for {
				raw, line, err := m.next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%d:%s", line, raw))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%.200q, want %.200q", got, tt.want)
			}
		})
	}
	broken := errors.New("broken")
	for _, text := range []string{"", "a", "{\na"} {
		m := newMessages(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), 10)
		if _, _, err := m.next(); !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
