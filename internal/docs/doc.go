// Package docs keeps the documents true to the code.
//
// What it is for: two tests. One weaves code into the documents at the root:
// between the lines
//
//	<!-- example: leader ExampleNew -->
//	<!-- end -->
//
// stands the body of that Example function, which the tests of package leader
// compile and run; <!-- file: PATH --> shows a file instead. The other follows
// every relative link of every document.
//
// What it is not for: production code; there is none, and nothing imports it.
//
// Where to start reading: weave_test.go.
//
// Invariants: what stands between two markers is made, never written by hand:
// go test ./internal/docs -update; a document, an example or a link that is
// not there is a failure.
package docs
