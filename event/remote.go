package event

// RemoteAgent says which agent of a run works somewhere else.
type RemoteAgent struct {
	Run     string `json:"run"`            // id of the run that has the agent
	TraceID string `json:"trace,omitzero"` // of the run
	Agent   string `json:"agent"`          // "weather_1"
	Name    string `json:"name,omitzero"`  // "Weather_1"
	Role    string `json:"role,omitzero"`  // id of its role
}

// The calls with which a reply of an agent that works elsewhere may end.
const (
	CallAskMaster = "ask_master" // {"question": …}: it waits for the answer
	CallGoOn      = "go_on"      // {}: what it said is progress, and it works on
)

// The notes of a run that its tools and its agents elsewhere are told, where they
// are known; all others, such as folders of this machine, stay in the log.
const (
	NoteUser    = "user"    // whose run it is
	NoteProject = "project" // that user's own name for what it is about
)

// RemoteStep is what an agent that works somewhere else is told: a task, or the
// answer to the question with which its step before ended, or nothing. What it
// says then is a sequence of [ModelDelta] and [ModelThinking] and, last, one
// [ModelReplied], whose text begins with that of the deltas:
//
//   - without calls its task is done, and the text is its report;
//   - with one call of [CallAskMaster] it waits for the answer, and the text, if
//     there is any, is progress;
//   - with one call of [CallGoOn] the text is progress and the agent works on,
//     with something else than text: a tool, a file, another part. The next step
//     has no Text: it only listens on.
//
// Call IDs may be empty. Usage is zero unless the other side tells tokens.
type RemoteStep struct {
	RemoteAgent
	// ID names the step. It is the same when the step is taken again after a
	// crash, so who has begun it goes on and does not begin anew.
	ID string
	// Task is the ID of the step that began the task; that of this step when it
	// is the first. It has letters, digits, "_" and "-" only.
	Task string
	// Number counts the steps of the task, from 1: so many replies but one came
	// before. Who is asked again about a task whose story it can read finds its
	// place by it.
	Number int
	// Again says that the step was begun before and that its end was not heard.
	Again bool
	// Text is the task, or the answer; empty when there is nothing to tell.
	Text string
	// Metadata has the notes [NoteUser] and [NoteProject] for the other side to
	// pass on; it may be nil.
	Metadata map[string]string
}

// Answers reports whether the step brings the answer for which the task waits.
func (s RemoteStep) Answers() bool { return s.ID != s.Task && s.Text != "" }
