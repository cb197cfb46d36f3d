package streams

import "context"

// tell passes what another Troupe says to an agent of its team on to the run
// of its task, when one is here. It is false when there is none that takes it.
func (w *Worker) tell(life context.Context, d delivery, cmd Command) bool {
	body, ok := cmd.Body.(*Resume)
	if !ok || w.opts.Agents == nil || body.ExtraPayload[troupeName] == nil || !w.hasRun(cmd.Header) {
		return false
	}
	return w.opts.Agents.Tell(life, Task{
		MessageID: cmd.Header.MessageID, Key: "entry/" + d.origin(), Header: cmd.Header,
		Content: body.Content, Extra: body.ExtraPayload, Status: body.Status, ReplyData: body.ReplyData,
	})
}

// hasRun reports whether a run of the task that a command is for is here.
func (w *Worker) hasRun(h Header) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.message == h.MessageID && r.session == h.SessionID {
			return true
		}
	}
	return false
}
