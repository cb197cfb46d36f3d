package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/troupe-go/troupe/render"
)

// writeJSON writes v as one line of JSON that a person can read: without
// escapes for HTML.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("json: %w", err)
	}
	return nil
}

// table aligns rows of cells in columns; the last column is not padded. On a
// width above zero the last column is cut to fit.
func table(rows [][]string, width int) string {
	var columns []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], render.Width(cell, 1))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i < len(row)-1 {
				cell = render.Pad(cell, columns[i], 1) + "  "
			}
			line.WriteString(cell)
		}
		text := strings.TrimRight(line.String(), " ")
		if width > 0 {
			text = render.Cut(text, width, 1)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}
