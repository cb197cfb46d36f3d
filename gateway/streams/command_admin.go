package streams

// Reload asks a worker to load its plugins anew.
type Reload struct {
	ReloadID string
	Reason   string

	raw object
}

// Action is ActionReload.
func (*Reload) Action() Action { return ActionReload }

func (r *Reload) kept() *object { return &r.raw }

func (r *Reload) fields() []field {
	return []field{
		{name: "reload_id", to: &r.ReloadID, keyed: true, always: true},
		{name: "reason", to: &r.Reason, always: true},
	}
}

func (r *Reload) check() error {
	if r.ReloadID == "" {
		return fault("body", "reload_id", ErrValue)
	}
	return nil
}

// Suspend keeps a worker from taking new tasks.
type Suspend struct {
	Reason string

	raw object
}

// Action is ActionSuspend.
func (*Suspend) Action() Action { return ActionSuspend }

func (s *Suspend) kept() *object { return &s.raw }

func (s *Suspend) fields() []field {
	return []field{{name: "reason", to: &s.Reason, always: true}}
}

func (*Suspend) check() error { return nil }

// Restore lets a suspended worker take tasks again.
type Restore struct {
	raw object
}

// Action is ActionRestore.
func (*Restore) Action() Action { return ActionRestore }

func (r *Restore) kept() *object { return &r.raw }

func (*Restore) fields() []field { return nil }

func (*Restore) check() error { return nil }

// Evict ends a worker after its runs.
type Evict struct {
	Reason string
	Force  bool

	raw object
}

// Action is ActionEvict.
func (*Evict) Action() Action { return ActionEvict }

func (e *Evict) kept() *object { return &e.raw }

func (e *Evict) fields() []field {
	return []field{
		{name: "reason", to: &e.Reason, always: true},
		{name: "force", to: &e.Force, always: true},
	}
}

func (*Evict) check() error { return nil }
