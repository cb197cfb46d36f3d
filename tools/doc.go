// Package tools is what an agent can do, as the model sees it: the names, the
// arguments, the descriptions and the results.
//
// What it is for: making tools from typed functions ([Func]), keeping them in
// a [Set] that answers every call with a text or an error the model can act
// on, and the tools that come with Troupe: the communication tools over [Team]
// and [Peers], and the file tools of a [Workspace].
//
// What it is not for: deciding who may call what (the runtime asks before it
// runs a call), doing what a communication tool asks for (package leader
// implements the interfaces), or cleaning results for a terminal (package
// render).
//
// Where to start reading: [Tool] and [Spec] in tools.go, then func.go, then
// one tool with its description, for example edit_file.go and edit_file.md.
//
// Invariants: a spec is constant and its schema is always an object with
// properties, the same bytes each time; a tool's function runs only with
// arguments that fit the schema; a call ends in a result or an error, never in
// a panic of the caller; a workspace touches nothing outside its folder, and a
// file is either as it was or wholly as it was written.
package tools
