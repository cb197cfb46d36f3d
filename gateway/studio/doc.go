// Package studio serves a team to chat studios over the studio protocol: one
// WebSocket for each prompt, on which the answer streams back.
//
// What it is for: a [Handler] for a server, which lets a client in, gives its
// prompt to the session that it names, and sends what happens there as messages
// of the protocol; reading such messages ([Read]); their schema ([Schema]).
//
// What it is not for: listening, and who may come in (package gateway, on whose
// Ground a Handler stands); running teams (package session); protocols that
// outlive a connection.
//
// Where to start reading: [Handler.ServeHTTP], then connection.go; translate.go,
// which turns records into messages, and speech.go, which puts texts together.
//
// Invariants: what begins on a connection ends on it, also when the turn fails,
// the server stops or has a fault; no text is cut inside a character; whoever is
// refused before the response begins gets one message, of type error, and stands
// in the audit; a session has one response at a time.
package studio
