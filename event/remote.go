package event

// RemoteAgent says which agent of a run works somewhere else.
type RemoteAgent struct {
	Run     string `json:"run"`            // id of the run that has the agent
	TraceID string `json:"trace,omitzero"` // of the run
	Agent   string `json:"agent"`          // "weather_1"
	Name    string `json:"name,omitzero"`  // "Weather_1"
	Role    string `json:"role,omitzero"`  // id of its role
}

// RemoteStep is what an agent that works somewhere else is told: a task, or the
// answer to the question with which its step before ended. What it says then is
// a sequence of [ModelDelta] and [ModelThinking] and, last, one [ModelReplied]:
// without calls its task is done and the text its report; with one call of
// ask_master it waits for the answer.
type RemoteStep struct {
	RemoteAgent
	// ID names the step. It is the same when the step is taken again after a
	// crash, so who has begun it goes on and does not begin anew.
	ID string
	// Task is the ID of the step that began the task; that of this step when it
	// is the first.
	Task string
	// Text is the task, or the answer.
	Text string
	// Metadata is for the other side to pass on: the user, the project; optional.
	Metadata map[string]string
}

// Answers reports whether the step goes on with a task that waits.
func (s RemoteStep) Answers() bool { return s.ID != s.Task }
