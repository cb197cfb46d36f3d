package streams

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// Readiness is what a worker says of itself, as the Python SDK does.
type Readiness struct {
	Ready bool `json:"ready"`
	// Reason is starting, draining, evicted, suspended, consumer_stalled or
	// serving: the first that holds.
	Reason    string `json:"reason"`
	WorkerID  string `json:"worker_id"`
	Lifecycle string `json:"admin_lifecycle"` // active, suspended or evicted
	Healthy   bool   `json:"consumer_healthy"`
	UptimeMS  int64  `json:"uptime_ms"`
	Running   int    `json:"running"` // tasks
}

// life is what a worker goes through; guarded by the worker's mutex.
type life struct {
	began    time.Time
	entered  bool      // it is online
	draining bool      // it takes nothing more
	evicted  bool      // an administrator ends it
	sign     time.Time // when the last sign of life got through
	away     time.Time // since when Redis cannot be reached; zero while it can
}

// Readiness tells how the worker is.
func (w *Worker) Readiness() Readiness {
	now := w.store.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	r := Readiness{WorkerID: w.opts.ID, Lifecycle: "active", Running: len(w.runs)}
	if !w.life.began.IsZero() {
		r.UptimeMS = now.Sub(w.life.began).Milliseconds()
	}
	r.Healthy = w.life.entered && now.Sub(w.life.sign) < w.patience()
	if w.suspended {
		r.Lifecycle = "suspended"
	}
	if w.life.evicted {
		r.Lifecycle = "evicted"
	}
	switch {
	case !w.life.entered:
		r.Reason = "starting"
	case w.life.draining:
		r.Reason = "draining"
	case w.life.evicted:
		r.Reason = "evicted"
	case w.suspended:
		r.Reason = "suspended"
	case !r.Healthy:
		r.Reason = "consumer_stalled"
	default:
		r.Ready, r.Reason = true, "serving"
	}
	return r
}

// alive notes that a sign of life got through.
func (w *Worker) alive(l *life) {
	l.entered, l.sign = true, w.store.now()
	if !l.away.IsZero() {
		w.log().Info().Msg("Redis can be reached again")
		l.away = time.Time{}
	}
}

// trouble writes an error of Redis to the log. While it cannot be reached there is
// one line, however many try.
func (w *Worker) trouble(err error, what string) {
	if !passing(err) && !errors.Is(err, context.DeadlineExceeded) {
		w.log().Warn().Err(err).Msg(what)
		return
	}
	w.note(func(l *life) {
		if l.away.IsZero() {
			l.away = w.store.now()
			w.log().Warn().Err(err).Msg("Redis cannot be reached; tasks go on, and what they say waits")
		}
	})
}

func draining(l *life) { l.draining = true }

func evicted(l *life) { l.evicted = true }

func (w *Worker) isDraining() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.life.draining
}

// note changes what the worker goes through.
func (w *Worker) note(change func(*life)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.life)
}

// Health serves GET /readyz, which is 503 while the worker takes no tasks, and
// GET /healthz, which is 503 when it cannot reach Redis and will lose its lease.
// Both are a [Readiness].
func (w *Worker) Health() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(out http.ResponseWriter, _ *http.Request) {
		r := w.Readiness()
		answer(out, r.Ready, r)
	})
	mux.HandleFunc("GET /healthz", func(out http.ResponseWriter, _ *http.Request) {
		r := w.Readiness()
		answer(out, r.Healthy || r.Reason == "starting", r)
	})
	return mux
}

func answer(out http.ResponseWriter, good bool, r Readiness) {
	out.Header().Set("Content-Type", "application/json")
	if !good {
		out.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(out).Encode(r) // whoever asked is gone
}
