// Package appendjson appends the JSON form of values to a slice.
//
// What it is for: JSON that goes out or into a log: records, the team in a log's
// header, the bodies of model calls, the messages of gateways. It writes what
// encoding/json writes with SetEscapeHTML(false), byte for byte, but is ready at the
// first use: a program that runs one small team would spend a tenth of its time on
// the tables that encoding/json makes of each type.
//
// What it is not for: reading, and types of an unusual form: what has methods of
// its own (json.Marshaler, encoding.TextMarshaler), embedded fields, maps,
// interfaces, numbers that are not signed integers, and what lies a thousand deep
// are left to encoding/json.
//
// Where to start reading: [Value].
//
// Invariants: the text is that of encoding/json, and where that fails, nothing
// is appended.
package appendjson
