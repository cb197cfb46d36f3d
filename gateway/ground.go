package gateway

import (
	"errors"

	"github.com/rs/zerolog"
)

// Ground is what all faces of a server stand on. Whoever makes the server makes
// one and gives it to each face.
type Ground struct {
	Sessions  Sessions   // required
	Auth      *Auth      // required
	Limits    *Limits    // required
	Workspace *Workspace // required
	Origins   Origins
	// Audit keeps who did what; nothing is kept without one.
	Audit *Audit
	// Model turns what a client calls a model into what [SettingModel] takes; ok
	// is false for one that this server does not have. Without it there is no
	// other model than the team's.
	Model func(name string) (ref string, ok bool)
	// Closing is closed when the server begins to stop. Sessions end by themselves
	// then; it is for connections that use none yet. nil never closes.
	Closing <-chan struct{}
	// Logger is for operators; silent without one.
	Logger zerolog.Logger
}

// Check fails when something is missing without which no face can be served.
func (g Ground) Check() error {
	if g.Sessions == nil || g.Auth == nil || g.Limits == nil || g.Workspace == nil {
		return errors.New("gateway: a face needs Sessions, Auth, Limits and Workspace")
	}
	return nil
}

// ModelOf is [Ground.Model], which may be nil.
func (g Ground) ModelOf(name string) (ref string, ok bool) {
	if g.Model == nil {
		return "", false
	}
	return g.Model(name)
}

// Note adds an entry to the audit, if there is one. That it cannot be written is
// no reason to refuse a client; the log for operators tells it.
func (g Ground) Note(e AuditEntry) {
	if g.Audit != nil {
		g.noted(g.Audit.Write(e))
	}
}

// NoteRefusal is Note for an entry about somebody who was refused; many of them are
// few lines ([Audit.WriteRefusal]).
func (g Ground) NoteRefusal(e AuditEntry) {
	if g.Audit != nil {
		g.noted(g.Audit.WriteRefusal(e))
	}
}

func (g Ground) noted(err error) {
	if err != nil {
		g.Logger.Error().Err(err).Msg("the audit cannot be written")
	}
}
