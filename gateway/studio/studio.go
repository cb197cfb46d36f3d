package studio

import (
	"net/http"

	"github.com/troupe-go/troupe/gateway"
)

// Options tune a [Handler].
type Options struct {
	gateway.Ground
	// StopOnDisconnect stops the team when its client disconnects before the end;
	// otherwise it works on, and its log can be read.
	StopOnDisconnect bool
	// Verbose shows the model calls of sub-agents too, and whose a tool call is.
	Verbose bool
	// NoIterations leaves the steps of the leader out.
	NoIterations bool
}

// Handler serves the studio protocol.
type Handler struct{ opts Options }

// New makes a Handler.
func New(o Options) (*Handler, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return &Handler{o}, nil
}

// ServeHTTP serves one connection to its end.
func (h *Handler) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "not yet", http.StatusNotImplemented)
}
