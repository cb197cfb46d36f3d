package foreign

import (
	"encoding/json"
	"fmt"
	"strings"
)

// plainText reads content that is a text or a list of parts. Parts that are no
// text become a placeholder that says what stood there; those of unknown types
// are noted too.
func plainText(n *notes, raw json.RawMessage, place string) string {
	if s, ok := asText(raw); ok {
		return s
	}
	if parts := array(raw); parts != nil {
		texts := make([]string, 0, len(parts))
		for i, part := range parts {
			texts = append(texts, partText(n, part, fmt.Sprintf("%s part %d", place, i+1)))
		}
		return paragraphs(texts...)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	return partText(n, raw, place)
}

// partText is one part of a content as text.
func partText(n *notes, raw json.RawMessage, place string) string {
	if s, ok := asText(raw); ok {
		return s
	}
	part := object(raw)
	if part == nil {
		n.add("content that is neither text nor an object", place)
		return compactJSON(raw)
	}
	kind := part.text("type")
	switch kind {
	case "text", "input_text", "output_text", "":
		if s, ok := asText(part["text"]); ok {
			return s
		}
	case "refusal":
		return part.text("refusal")
	case "image_url", "input_image", "image":
		return placeholder("image", mediaOf(part))
	case "input_audio", "audio":
		return placeholder("audio", mediaOf(part))
	case "file", "input_file", "document":
		return placeholder("file", mediaOf(part))
	case "tool_reference":
		return placeholder("tool", part.text("tool_name"))
	}
	if kind == "" {
		kind = "object"
	}
	n.add(fmt.Sprintf("content of type %q", kind), place)
	return placeholder(kind, "")
}

// placeholder stands where something stood that is no text.
func placeholder(kind, what string) string {
	if what == "" {
		return "[" + kind + "]"
	}
	return "[" + kind + ": " + what + "]"
}

// mediaOf says in a few words what a part that is no text holds: its address,
// or its type and size.
func mediaOf(part members) string {
	for _, name := range []string{"image_url", "input_audio", "file", "source", "audio"} {
		inner := part[name]
		if s, ok := asText(inner); ok {
			return address(s)
		}
		o := object(inner)
		if o == nil {
			continue
		}
		if s := o.text("url", "filename", "file_id"); s != "" {
			return address(s)
		}
		kind, data := o.text("media_type", "format"), o.text("data", "file_data")
		return strings.TrimSpace(fmt.Sprintf("%s %d bytes of base64", kind, len(data)))
	}
	return part.text("title", "file_id")
}

// address is an address that a reader can use; data in an address is only
// named.
func address(s string) string {
	const most = 200
	if kind, ok := strings.CutPrefix(s, "data:"); ok {
		kind, _, _ = strings.Cut(kind, ",")
		return fmt.Sprintf("%s, %d bytes", strings.ToValidUTF8(kind[:min(len(kind), most)], ""), len(s))
	}
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
