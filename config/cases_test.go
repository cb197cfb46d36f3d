package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/troupe-go/troupe/config"
)

// expectation is the first line of a case.
var expectation = regexp.MustCompile(`# EXPECT (ok|error): (?:line ([0-9]+): )?(.*)`)

func TestCasesAreToldAsExpected(t *testing.T) {
	paths, err := filepath.Glob("testdata/configs/*.yaml")
	if err != nil || len(paths) < 24 {
		t.Fatalf("found %d cases (%v), want at least 24", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m := expectation.FindStringSubmatch(readable(data))
			if m == nil {
				t.Fatal("the case does not say what it expects")
			}
			_, err = config.Parse(path, data, nil, known())
			if m[1] == "ok" {
				if err != nil {
					t.Fatalf("Parse: %v, want it to load", err)
				}
				return
			}
			line, _ := strconv.Atoi(m[2])
			checkTold(t, err, line, m[3])
		})
	}
}

// readable returns the first line of a case as text.
func readable(data []byte) string {
	if len(data) > 1 && data[0] == 0xFF && data[1] == 0xFE {
		units := make([]uint16, 0, 256)
		for i := 2; i+1 < len(data) && len(units) < 256; i += 2 {
			units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
		}
		data = []byte(string(utf16.Decode(units)))
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return first
}

// checkTold wants a problem at the line (any for 0) that says what was
// expected: most of its words.
func checkTold(t *testing.T, err error, line int, text string) {
	t.Helper()
	e, ok := errors.AsType[*config.Error](err)
	if !ok {
		t.Fatalf("Parse: %v, want an *Error", err)
	}
	words := regexp.MustCompile(`[\pL\d_-]{4,}`).FindAllString(strings.ToLower(text), -1)
	for _, p := range e.Problems {
		if line != 0 && p.Line != line {
			continue
		}
		said := strings.ToLower(p.Message + " " + p.Hint)
		hits := 0
		for _, w := range words {
			if strings.Contains(said, w) {
				hits++
			}
		}
		if hits*2 >= len(words) {
			return
		}
	}
	t.Errorf("no problem at line %d says %q; got\n%v", line, text, err)
}
