package leader

import (
	"encoding/json"
	"time"

	"github.com/troupe-go/troupe/event"
)

// readingTool is the tool after which an agent knows a file; after writing one,
// a record names it.
const readingTool = "read_file"

// reading is a call of readingTool without a result yet.
type reading struct {
	path  string
	began time.Time
}

// recall tells the workspace which files the agents knew, and as of when: what
// they write over is then what they saw, as if the run had never ended. A run
// that now works in another folder knows nothing of its files.
func (f *folder) recall(rec event.Record) {
	if f.header.WorkDir != f.run.space.Dir() {
		return
	}
	switch d := rec.Data.(type) {
	case event.ToolStarted:
		var in struct {
			Path string `json:"path"`
		}
		if d.Name == readingTool && json.Unmarshal([]byte(d.Arguments), &in) == nil {
			f.readings[d.CallID] = reading{in.Path, rec.Time}
		}
	case event.ToolFinished:
		if r, ok := f.readings[d.CallID]; ok && !d.IsError {
			f.run.space.Recall(rec.Agent, r.path, r.began)
		}
		delete(f.readings, d.CallID)
	case event.ArtifactCreated:
		f.run.space.Recall(rec.Agent, d.Path, rec.Time)
	default: // says nothing of files
	}
}
