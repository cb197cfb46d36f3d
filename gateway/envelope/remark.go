package envelope

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Verdict is what a message comes to, in one word.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"      // as it should be
	Missing Verdict = "missing" // refused: fields are missing
	Extra   Verdict = "extra"   // taken; unknown fields went to the metadata
	Down    Verdict = "text"    // not refused: its version is unknown, so it is read as text
	Repeat  Verdict = "repeat"  // came before; nothing is done twice
	Invalid Verdict = "invalid" // refused for another reason
)

// Refused reports whether a message with this verdict goes no further.
func (v Verdict) Refused() bool { return v == Missing || v == Invalid }

// Reason is a short stable word for what was found.
type Reason string

// The reasons to refuse a message as a whole.
const (
	BadJSON       Reason = "bad_json"
	NotObject     Reason = "not_object"
	BOM           Reason = "bom"
	DuplicateKey  Reason = "duplicate_key"
	InvalidUTF8   Reason = "invalid_utf8"
	LoneSurrogate Reason = "lone_surrogate"
	TooDeep       Reason = "too_deep"
	TooLarge      Reason = "too_large"
)

// The reasons to refuse a message for its fields.
const (
	MissingField    Reason = "missing_field"
	BadField        Reason = "bad_field" // another value is wanted
	BadType         Reason = "bad_type"  // the field type is none of [Types]
	Broadcast       Reason = "broadcast" // there is none in this version
	SelfAddressed   Reason = "self_addressed"
	UnknownReceiver Reason = "unknown_receiver"
	WrongSender     Reason = "wrong_sender" // not who the sender proved to be
	UnlistedTool    Reason = "unlisted_tool"
	MetadataClash   Reason = "metadata_clash" // the metadata has another value under the name
)

// The reasons to refuse a message for those that came before.
const (
	UnknownRequest Reason = "unknown_request"
	Conflict       Reason = "conflict" // the id stands for something else
)

// The reasons for which a message is not refused.
const (
	UnknownProto Reason = "unknown_proto"
	MinorVersion Reason = "minor_version" // newer than ours, of the same major version
	SuspiciousTS Reason = "suspicious_ts" // taken for milliseconds
	ExtraField   Reason = "extra_field"   // kept in the metadata
	Repeated     Reason = "repeated"
)

// Want is what a field should hold.
type Want string

// What fields should hold.
const (
	WantText         Want = "text"       // that is not empty
	WantShortText    Want = "short_text" // of at most 256 bytes, for ids that come through the door
	WantSeconds      Want = "seconds"
	WantType         Want = "type"
	WantObject       Want = "object"
	WantTextOrObject Want = "text_or_object"
)

// wants are the English words for what fields should hold.
var wants = map[Want]string{
	WantText: "a text that is not empty", WantShortText: "a text of 1 to 256 bytes", WantSeconds: "a number of seconds, not negative",
	WantType: "task, tool_call or result", WantObject: "an object", WantTextOrObject: "a text or an object",
}

// Remark is one thing that was found in a message.
type Remark struct {
	Reason Reason `json:"reason"`
	// Field is the path from the top of the message, for example
	// "payload.params"; empty for the message as a whole.
	Field string `json:"field,omitempty"`
	// Offset is the byte of the message where it was found, from 0; -1 if it
	// has no place.
	Offset int `json:"offset"`
	// Found is what stands there: a short value as JSON, or the kind of another
	// one; for [BadJSON] the character, or nothing where the message ends too
	// early; for [MissingField] a field that may be meant for it. Values inside a
	// payload are never shown.
	Found string `json:"found,omitempty"`
	// Want is what should stand there, for [BadField] and [BadType].
	Want Want `json:"want,omitempty"`
}

// phrases are the English words of the reasons.
var phrases = map[Reason]string{
	BadJSON: "is not JSON", NotObject: "is no JSON object", BOM: "begins with a byte order mark",
	DuplicateKey: "stands there twice", InvalidUTF8: "is not valid UTF-8", LoneSurrogate: "has half of a surrogate pair",
	TooDeep: "is nested too deep", TooLarge: "is too large", MissingField: "is missing", BadField: "has a wrong value",
	BadType: "is no known type", Broadcast: "is for everybody, which this version does not have",
	SelfAddressed: "is the sender itself", UnknownReceiver: "is not known here", WrongSender: "is not who sent it",
	UnlistedTool: "is no tool that may be called from outside", UnknownRequest: "was never asked for",
	MetadataClash: "has another value in the metadata",
	Conflict:      "was used for something else before", UnknownProto: "is no known version", MinorVersion: "is a newer version",
	SuspiciousTS: "is taken for milliseconds", ExtraField: "is no field of the envelope", Repeated: "came before",
}

// String is the remark in English.
func (r Remark) String() string {
	text := cmp.Or(r.Field, "message") + " " + phrases[r.Reason]
	if r.Reason == BadJSON && r.Found == "" {
		text = cmp.Or(r.Field, "message") + " ends too early"
	}
	switch {
	case r.Found != "" && r.Reason == MissingField:
		text += " (is it " + r.Found + "?)"
	case r.Found != "":
		text += ": " + r.Found
	}
	if r.Want != "" {
		text += ", not " + wants[r.Want]
	}
	if r.Offset >= 0 {
		text += fmt.Sprintf(" (byte %d)", r.Offset)
	}
	return text
}

// Error says why a message is not an [Envelope]. It is what [Decode] and
// [Encode] return.
type Error struct {
	// Verdict is [Missing], [Invalid] or, for a version that is not known,
	// [Down].
	Verdict Verdict
	// Remarks has at least one entry.
	Remarks []Remark
}

// refused is an error about one field, of no place.
func refused(reason Reason, field string) *Error {
	return &Error{Invalid, []Remark{{Reason: reason, Field: field, Offset: -1}}}
}

// Error lists the remarks.
func (e *Error) Error() string {
	var parts []string
	for _, r := range e.Remarks {
		parts = append(parts, r.String())
	}
	return "envelope: " + strings.Join(parts, "; ")
}

// verdictOf is the verdict of a message with faults.
func verdictOf(faults []Remark) Verdict {
	if slices.ContainsFunc(faults, func(r Remark) bool { return r.Reason == MissingField }) {
		return Missing
	}
	return Invalid
}
