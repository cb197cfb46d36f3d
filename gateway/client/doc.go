// Package client serves the client protocol, version 1: a chat client and a team
// talk over one WebSocket, in a session that outlives its connections.
//
// What it is for: the messages and their one JSON form ([Message], [Decode],
// [Message.Encode], [Schema]), and the handler that serves them ([New]) over
// gateway.Sessions.
//
// What it is not for: running teams (package session), who may come in (package
// gateway), TLS and listening (the program), drawing anything.
//
// Where to start reading: message.go, then fold.go (records to messages), then
// conn.go (the life of a connection).
//
// Invariants: what a client is told of a session is a fold of its log, so that
// the number of a message says where in the log it stands, and a client that comes
// back gets exactly what it has not had; nothing waits in a queue for a client, a
// slow one lags behind the log; what a client sends has its effect once; a session
// is reached by its user alone; no token stands in a log or an error.
package client
