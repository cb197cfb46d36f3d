package model

// ProbePlaces lets tests ask servers at addresses of their own.
var ProbePlaces = probe

// DecodeEvent reads an event in go-openai's words.
var DecodeEvent = decodeEvent
