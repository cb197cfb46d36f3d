package model

// ProbePlaces lets tests ask servers at addresses of their own.
var ProbePlaces = probe
