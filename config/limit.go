package config

import "time"

// Limit is a bound that a file may leave out, set, or lift. The zero value is
// an absent one.
type Limit[N int | float64 | time.Duration] struct {
	// State says which of the three it is.
	State LimitState
	// Value is the bound when State is Bounded; it is positive, or 0 where a
	// key allows that.
	Value N
}

// LimitState tells the three kinds of limits apart.
type LimitState string

// The three kinds of limits.
const (
	Absent    LimitState = ""
	Bounded   LimitState = "bounded"
	Unlimited LimitState = "unlimited"
)

// Or returns the bound: absent when the file gives none, unlimited when the
// file lifts it.
func (l Limit[N]) Or(absent, unlimited N) N {
	switch l.State {
	case Bounded:
		return l.Value
	case Unlimited:
		return unlimited
	default:
		return absent
	}
}
