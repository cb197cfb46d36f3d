package model

// ProbePlaces lets tests ask servers at addresses of their own.
var ProbePlaces = probe

// Useful lets tests ask which lines of a reply bring it forward.
var Useful = useful
