package envelope

// Step is one of the places to look at when a message does not arrive.
type Step string

// The steps, in the order in which to look. Where a message is no JSON there is
// nothing to look at, and a version that is not known settles it before the
// others, because such a message is text.
const (
	StepMessage Step = "message" // is it one JSON object?
	StepNames   Step = "names"   // are the fields there, with values that fit?
	StepExtra   Step = "extra"   // are there fields that nobody knows?
	StepVersion Step = "version"
	StepRepeat  Step = "repeat" // did it come before?
)

// Step is the step of the walk at which a reason is found.
func (r Reason) Step() Step {
	switch r {
	case BadJSON, NotObject, BOM, DuplicateKey, InvalidUTF8, LoneSurrogate, TooDeep, TooLarge:
		return StepMessage
	case ExtraField, MetadataClash:
		return StepExtra
	case UnknownProto, MinorVersion:
		return StepVersion
	case Repeated, Conflict, UnknownRequest:
		return StepRepeat
	case MissingField, BadField, BadType, Broadcast, SelfAddressed, UnknownReceiver, WrongSender, UnlistedTool, SuspiciousTS:
	}
	return StepNames
}

// Look is what is seen at one step.
type Look struct {
	Step Step `json:"step"`
	// Reached is false for a step that does not matter any more.
	Reached bool `json:"reached"`
	// Remarks are empty when all is well there.
	Remarks []Remark `json:"remarks,omitempty"`
}

// Walk goes through what was found in a fixed order: field names, extra fields,
// version, duplicates. Before them comes the message itself if it cannot be
// read.
func Walk(f Finding) []Look {
	at := map[Step][]Remark{}
	for _, list := range [...][]Remark{f.Faults, f.Notes} {
		for _, r := range list {
			at[r.Reason.Step()] = append(at[r.Reason.Step()], r)
		}
	}
	var looks []Look
	readable := len(at[StepMessage]) == 0
	if !readable {
		looks = append(looks, Look{StepMessage, true, at[StepMessage]})
	}
	for _, step := range [...]Step{StepNames, StepExtra, StepVersion, StepRepeat} {
		reached := readable && (f.Verdict != Down || step == StepVersion) || len(at[step]) > 0
		looks = append(looks, Look{step, reached, at[step]})
	}
	return looks
}
