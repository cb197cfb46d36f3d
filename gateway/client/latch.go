package client

// latch is a lock for what waits for the network while it is held, which may take
// long: who waits for a mutex counts as working, who waits for this does not.
type latch chan struct{}

func newLatch() latch { return make(latch, 1) } // one may hold it

func (l latch) lock()   { l <- struct{}{} }
func (l latch) unlock() { <-l }
