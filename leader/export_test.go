package leader

import (
	"time"

	"github.com/troupe-go/troupe/agent"
)

// NewBudget is a run's budget alone.
func NewBudget(l Limits, now func() time.Time) agent.Budget { return newBudget(l, now) }
