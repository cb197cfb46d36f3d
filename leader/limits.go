package leader

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unlimitedWord lifts a limit, as in a team file.
const unlimitedWord = "unlimited"

// LimitNames are the names that [Team.SetLimit] takes.
func LimitNames() []string {
	return []string{
		"agents", "spawns", limitMaxSteps, leaderMaxSteps, limitSteps, limitTokens, limitMoney, limitDeadline,
		"parallel", "inbox", "ask_timeout", "tool_timeout",
	}
}

// leaderMaxSteps is the bound on a turn of the leader, as the team file has it.
const leaderMaxSteps = "leader." + limitMaxSteps

// SetLimit sets a limit of the team to a value as a team file has it: a number
// above zero, a duration as "1h30m", or "unlimited". name is one of
// [LimitNames]. "max_steps" is for all roles that have no bound of their own,
// "leader.max_steps" for the leader.
func (t *Team) SetLimit(name, value string) error {
	l := &t.Limits
	switch name {
	case "agents":
		return setCount(&l.Agents, name, value)
	case "spawns":
		return setCount(&l.Spawns, name, value)
	case limitMaxSteps:
		return t.setMaxSteps(value)
	case leaderMaxSteps:
		return setCount(&t.Leader.MaxSteps, name, value)
	case limitSteps:
		return setCount(&l.Steps, name, value)
	case limitTokens:
		return setCount(&l.Tokens, name, value)
	case limitMoney:
		return setAmount(&l.Budget, name, value)
	case limitDeadline:
		return setDuration(&l.Deadline, name, value)
	case "parallel":
		return setCount(&l.Parallel, name, value)
	case "inbox":
		return setCount(&l.Inbox, name, value)
	case "ask_timeout":
		return setDuration(&l.AskTimeout, name, value)
	case "tool_timeout":
		return setDuration(&l.ToolTimeout, name, value)
	}
	return fmt.Errorf("leader: there is no limit %q; limits are %s", name, strings.Join(LimitNames(), ", "))
}

// setMaxSteps bounds the turns of the roles that have the team's bound.
func (t *Team) setMaxSteps(value string) error {
	before := t.Limits.MaxSteps
	if err := setCount(&t.Limits.MaxSteps, limitMaxSteps, value); err != nil {
		return err
	}
	t.Roles = slices.Clone(t.Roles)
	for i := range t.Roles {
		if r := &t.Roles[i]; r.MaxSteps == before {
			r.MaxSteps = t.Limits.MaxSteps
		}
	}
	return nil
}

func setCount(limit *int, name, value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case value == unlimitedWord:
		n = Unlimited
	case err != nil || n < 1 || n > math.MaxInt32:
		return badLimit(name, value, "a whole number above 0")
	}
	*limit = n
	return nil
}

func setAmount(limit *float64, name, value string) error {
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case value == unlimitedWord:
		n = Unlimited
	case err != nil || !(n > 0 && n <= math.MaxInt32): // neither holds for NaN
		return badLimit(name, value, "a number above 0")
	}
	*limit = n
	return nil
}

func setDuration(limit *time.Duration, name, value string) error {
	d, err := time.ParseDuration(value)
	switch {
	case value == unlimitedWord:
		d = Unlimited
	case err != nil || d <= 0:
		return badLimit(name, value, "a duration such as 90s or 1h")
	}
	*limit = d
	return nil
}

func badLimit(name, value, want string) error {
	return fmt.Errorf("leader: limit %s: %q is no value for it; it is %s, or %s", name, value, want, unlimitedWord)
}
