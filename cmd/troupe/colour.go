package main

import (
	"io"

	"charm.land/lipgloss/v2"

	"github.com/troupe-go/troupe/render"
)

// coloured reports whether text on w may have colours.
func (a *app) coloured(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return a.get("NO_COLOR") == "" && a.get("TERM") != "dumb" && a.IsTerminal(w)
}

// style is the colouring of text on w; nil for none.
func (a *app) style(w io.Writer) func(render.Style, string) string {
	if !a.coloured(w) {
		return nil
	}
	return func(s render.Style, text string) string { return look(s).Render(text) }
}

// paint colours one text for w.
func (a *app) paint(w io.Writer, s render.Style, text string) string {
	if !a.coloured(w) {
		return text
	}
	return look(s).Render(text)
}

// look is the colour of a meaning, from the sixteen that every terminal lets
// its owner choose.
func look(s render.Style) lipgloss.Style {
	plain := lipgloss.NewStyle()
	switch s {
	case render.StyleTitle:
		return plain.Bold(true)
	case render.StyleName:
		return plain.Foreground(lipgloss.Cyan)
	case render.StyleKind:
		return plain.Foreground(lipgloss.Blue)
	case render.StyleDim:
		return plain.Faint(true)
	case render.StyleOK:
		return plain.Foreground(lipgloss.Green)
	case render.StyleWarn:
		return plain.Foreground(lipgloss.Yellow)
	case render.StyleError:
		return plain.Foreground(lipgloss.Red)
	case render.StylePlain:
	}
	return plain
}
