package gateway

// Known is how many users l remembers.
func Known(l *Limits) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.users)
}
