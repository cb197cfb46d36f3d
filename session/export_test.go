package session

// Entries is how many sessions m has in memory.
func Entries(m *Manager) int { return len(m.inUse()) }

// Rest waits until a session rests.
func Rest(m *Manager, handle string) {
	n, err := nameOf(handle)
	if err != nil {
		return
	}
	e := m.enter(n)
	defer m.leave(e)
	for {
		run, _, changed := e.look()
		if run == nil {
			return
		}
		<-changed
	}
}
