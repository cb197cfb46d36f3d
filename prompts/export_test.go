package prompts

// What the templates see, for tests that render them.
type (
	LeaderView = leaderView
	WorkerView = workerView
)

// NewLeaderView and NewWorkerView make what Leader and Worker render of the same.
var (
	NewLeaderView = newLeaderView
	NewWorkerView = newWorkerView
)
