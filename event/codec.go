package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// envelope is a record as it stands in the log. Data is kept raw until the
// type is known.
type envelope struct {
	V     int             `json:"v"`
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"ts"`
	Type  Type            `json:"type"`
	Agent string          `json:"agent,omitempty"`
	Turn  int             `json:"turn,omitempty"`
	Data  json.RawMessage `json:"data"`
}

// MarshalJSON writes the record's one JSON form: the line in the log file
// without its newline.
func (r Record) MarshalJSON() ([]byte, error) {
	return r.AppendJSON(nil)
}

// AppendJSON appends the record's JSON form to dst and returns the longer
// slice. It fails for a record without data, for data without a JSON form, and
// for an [Unknown] that would not be read back as one.
func (r Record) AppendJSON(dst []byte) ([]byte, error) {
	if r.Raw != nil {
		return append(dst, r.Raw...), nil
	}
	if r.Data == nil || r.Data.Type() == "" {
		return dst, errors.New("event: record without data")
	}
	if err := checkYear(r.Time); err != nil {
		return dst, fmt.Errorf("event: record %d of type %s: %w", r.Seq, r.Data.Type(), err)
	}
	line, err := appendData(r.appendEnvelope(dst), r.Data)
	if err != nil {
		return dst, fmt.Errorf("event: record %d of type %s: %w", r.Seq, r.Data.Type(), err)
	}
	return append(line, '}'), nil
}

// appendEnvelope appends all that comes before the data.
func (r Record) appendEnvelope(dst []byte) []byte {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, int64(r.V), 10)
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendInt(dst, r.Seq, 10)
	dst = append(dst, `,"ts":"`...)
	dst = r.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","type":`...)
	dst = appendjson.String(dst, string(r.Data.Type()))
	if r.Agent != "" {
		dst = append(dst, `,"agent":`...)
		dst = appendjson.String(dst, r.Agent)
	}
	if r.Turn != 0 {
		dst = append(dst, `,"turn":`...)
		dst = strconv.AppendInt(dst, int64(r.Turn), 10)
	}
	return append(dst, `,"data":`...)
}

func appendData(dst []byte, d Data) ([]byte, error) {
	u, ok := d.(Unknown)
	if !ok {
		return appendjson.Value(dst, d)
	}
	if _, known := decoders[u.Name]; known {
		return dst, errors.New("the type is known, so its struct must be used")
	}
	text, err := compact(u.JSON)
	if err == nil && (len(text) == 0 || text[0] != '{') {
		err = errNoObject
	}
	return append(dst, text...), err
}

var errNoObject = errors.New("field data is no object")

// UnmarshalJSON reads a record. A type that this version does not know becomes
// [Unknown]; a known type with unknown fields keeps its line in Raw. The text
// is not kept: the record shares no memory with it.
func (r *Record) UnmarshalJSON(line []byte) error {
	if rec, ok := decodeOwn(line); ok {
		*r = rec
		return nil
	}
	var env envelope
	known, err := decodeKnown(line, &env)
	if err != nil {
		return fmt.Errorf("event: record: %w", inWords(err))
	}
	if err := env.check(); err != nil {
		return err
	}
	rec := env.record()
	all := true
	if decode, ok := decoders[env.Type]; ok {
		rec.Data, all, err = decode(env.Data)
	} else {
		rec.Data, err = decodeUnknown(env)
	}
	if err == nil && (!known || !all) {
		rec.Raw, err = compact(line)
	}
	if err != nil {
		return fmt.Errorf("event: record %d of type %s: %w", env.Seq, env.Type, inWords(err))
	}
	*r = rec
	return nil
}

// inWords says what is wrong with JSON of another form without the names of our
// types; other errors it returns as they are.
func inWords(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return err
	case wrong.Field == "":
		return fmt.Errorf("found %s, wanted an object", wrong.Value)
	}
	return fmt.Errorf("%s: %s is no value for it", wrong.Field, wrong.Value)
}

// record is the record without its data.
func (env *envelope) record() Record {
	return Record{V: env.V, Seq: env.Seq, Time: env.Time.UTC(), Agent: env.Agent, Turn: env.Turn}
}

// check refuses what is no record.
func (env *envelope) check() error {
	switch {
	case env.Type == "":
		return errors.New("event: record without a type")
	case env.V < 1:
		return fmt.Errorf("event: record of type %s without a version (field v)", env.Type)
	case env.Seq < 0:
		return fmt.Errorf("event: record of type %s has seq %d; it counts from 1", env.Type, env.Seq)
	case len(env.Data) == 0 || env.Data[0] != '{':
		return fmt.Errorf("event: record %d of type %s: %w", env.Seq, env.Type, errNoObject)
	}
	if err := checkYear(env.Time); err != nil {
		return fmt.Errorf("event: record %d of type %s: %w", env.Seq, env.Type, err)
	}
	return nil
}

// checkYear refuses the years that RFC 3339 cannot write.
func checkYear(t time.Time) error {
	if y := t.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("the year %d is outside 0 to 9999", y)
	}
	return nil
}

// decodeKnown decodes into v and reports whether v has a field for all that
// the text says. The text must be one JSON value.
func decodeKnown(text []byte, v any) (known bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if dec.Decode(v) == nil && len(bytes.TrimSpace(text[dec.InputOffset():])) == 0 {
		return true, nil
	}
	return false, json.Unmarshal(text, v)
}

func decodeUnknown(env envelope) (Data, error) {
	text, err := compact(env.Data)
	return Unknown{Name: env.Type, JSON: text}, err
}

func compact(text []byte) ([]byte, error) {
	var buf bytes.Buffer
	err := json.Compact(&buf, text)
	return buf.Bytes(), err
}

type decodeFunc func(json.RawMessage) (d Data, known bool, err error)

func decoder[T Data](text json.RawMessage) (Data, bool, error) {
	var v T
	known, err := decodeKnown(text, &v)
	return v, known, err
}

// decoders has every type of kinds.go but Unknown; a test walks the list.
var decoders = map[Type]decodeFunc{
	TypeRunStarted:        decoder[RunStarted],
	TypeRunSuspended:      decoder[RunSuspended],
	TypeRunResumed:        decoder[RunResumed],
	TypeRunFinished:       decoder[RunFinished],
	TypeRunFailed:         decoder[RunFailed],
	TypeAgentCreated:      decoder[AgentCreated],
	TypeAgentState:        decoder[AgentState],
	TypeAgentStopping:     decoder[AgentStopping],
	TypeTurnEnded:         decoder[TurnEnded],
	TypeRoleCreated:       decoder[RoleCreated],
	TypeMessageSent:       decoder[MessageSent],
	TypeMessageDelivered:  decoder[MessageDelivered],
	TypeMessageReturned:   decoder[MessageReturned],
	TypeQuestionOpened:    decoder[QuestionOpened],
	TypeQuestionClosed:    decoder[QuestionClosed],
	TypeModelRequested:    decoder[ModelRequested],
	TypeModelReplied:      decoder[ModelReplied],
	TypeModelRetried:      decoder[ModelRetried],
	TypeModelFailed:       decoder[ModelFailed],
	TypeModelProfile:      decoder[ModelProfile],
	TypeHistoryCompacted:  decoder[HistoryCompacted],
	TypeToolStarted:       decoder[ToolStarted],
	TypeToolFinished:      decoder[ToolFinished],
	TypeToolHanded:        decoder[ToolHanded],
	TypeToolReturned:      decoder[ToolReturned],
	TypeApprovalRequested: decoder[ApprovalRequested],
	TypeApprovalDecided:   decoder[ApprovalDecided],
	TypeArtifactCreated:   decoder[ArtifactCreated],
	TypeLimitWarned:       decoder[LimitWarned],
	TypeLimitReached:      decoder[LimitReached],
	TypeWarning:           decoder[Warning],
	TypeModelDelta:        decoder[ModelDelta],
	TypeModelThinking:     decoder[ModelThinking],
	TypeToolOutput:        decoder[ToolOutput],
}

// Types lists every record type of this version, in no particular order.
func Types() []Type {
	all := make([]Type, 0, len(decoders))
	for t := range decoders {
		all = append(all, t)
	}
	return all
}
