// Package nearest finds the name that somebody meant who wrote another one.
//
// What it is for: the hint "did you mean …?" of packages config, model and tools
// and of the program: [Of], and [Distance] for who has the names one by one.
//
// What it is not for: accepting a wrong name in place of the right one, or
// wording the hint.
//
// Where to start reading: [Of].
//
// Invariants: what is near does not depend on who asks; words that are too long
// to be names cost nothing.
package nearest
