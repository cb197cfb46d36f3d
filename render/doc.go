// Package render turns records of the log into text for people.
//
// What it is for: bubbles and lines for each record ([Printer]), status rows
// ([Status], [Rows]), the closing lines of a run ([Summary]), a whole run as
// a document ([Markdown], [HTML]), and the measuring that all of these need: display
// width and line breaks that are right for Chinese, emoji and paths ([Width],
// [Wrap]), and text that is safe to print ([Clean]).
//
// What it is not for: colours, cursor movement and streams. It returns plain
// strings; a caller gives meaning a colour through [Options.Style] and writes
// the text where it belongs.
//
// Where to start reading: [Printer.Record], then entry.go, which says for each
// type of record what a person is told.
//
// Invariants: nothing that an agent, a tool or a model said reaches the result
// with a control character or an escape sequence in it; every line of a box
// has the same display width, whatever the text; an unknown cost is shown as a
// dash, never as zero; unknown records and words never make it fail.
package render
