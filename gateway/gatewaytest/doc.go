// Package gatewaytest has the suite that every implementation of the port
// gateway.Sessions passes.
//
// What it is for: [TestSessions], which opens sessions of a team whose model the
// suite plays, and checks what the port promises, also over a restart.
//
// What it is not for: what an implementation does beyond the port, such as its
// bounds.
//
// Where to start reading: [Setup], then suite.go.
//
// Invariants: each scenario runs in a synctest bubble, so that no goroutine is
// left behind and nothing waits in real time.
package gatewaytest
