package session

// Entries is how many sessions m has in memory.
func Entries(m *Manager) int { return len(m.inUse()) }
