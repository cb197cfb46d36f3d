// Package studio serves a team to chat studios over the studio protocol: one
// WebSocket for each prompt, on which the answer streams back.
//
// What it is for: a [Handler] for a server, which reads the prompt, gives it to
// the session that it names, and sends what happens there as messages of the
// protocol.
//
// What it is not for: listening, and who may come in (package gateway, on whose
// Ground a Handler stands); running teams (package session); protocols that
// outlive a connection.
//
// Where to start reading: [Handler.ServeHTTP].
//
// Invariants: what begins on a connection ends on it, also when the turn fails or
// the server stops; no text is cut inside a character; whoever is refused gets
// one message, of type error.
package studio
