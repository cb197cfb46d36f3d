package main

import (
	"fmt"
	"net"

	"github.com/troupe-go/troupe/render"
)

// welcome says what is served, where, and how to try it.
func (s *serveCommand) welcome(sv *server, addr net.Addr) {
	t, w := sv.team, s.words.serve
	for _, warning := range t.config.Warnings {
		s.warn(warning.String())
	}
	for _, warning := range t.leader.Warnings() {
		s.warn(warning.Text)
	}
	if t.taken != "" {
		s.say(t.taken)
	}
	if t.demo {
		s.say(s.paint(s.Stderr, render.StyleWarn, s.words.demoBanner))
	}
	made := t.leader.Team()
	s.say(fmt.Sprintf(w["banner"], render.CleanLine(teamName(made.Name, t.file)), made.Leader.Model.Name, addr))
	if sv.anyone {
		s.say(s.paint(s.Stderr, render.StyleWarn, w["anyone"]))
	}
	s.say(fmt.Sprintf(w["places"], render.CleanLine(sv.root), render.CleanLine(t.runs), render.CleanLine(sv.settings.Audit)))
	for _, f := range sv.mounted {
		address := sv.address(f, addr)
		s.say(fmt.Sprintf("  %-9s %s\n  %-9s %s", f.name, address, "", f.try(address, !sv.anyone)))
	}
}

// address is where a face is reached from this machine.
func (sv *server) address(f mounted, addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := f.scheme
	if sv.settings.TLSCert != "" {
		scheme += "s"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + f.path
}
