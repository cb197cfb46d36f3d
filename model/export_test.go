package model

// Probe lets tests ask servers at addresses of their own.
var Probe = probe
