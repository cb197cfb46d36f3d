package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
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
// slice. It fails for a record without data.
func (r Record) AppendJSON(dst []byte) ([]byte, error) {
	if r.Raw != nil {
		return append(dst, r.Raw...), nil
	}
	if r.Data == nil || r.Data.Type() == "" {
		return dst, errors.New("event: record without data")
	}
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, int64(r.V), 10)
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendInt(dst, r.Seq, 10)
	dst = append(dst, `,"ts":"`...)
	dst = r.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","type":`...)
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := encodeValue(enc, buf, r.Data.Type()); err != nil {
		return dst, err
	}
	if r.Agent != "" {
		buf.WriteString(`,"agent":`)
		if err := encodeValue(enc, buf, r.Agent); err != nil {
			return dst, err
		}
	}
	if r.Turn != 0 {
		buf.WriteString(`,"turn":`)
		buf.Write(strconv.AppendInt(buf.AvailableBuffer(), int64(r.Turn), 10))
	}
	buf.WriteString(`,"data":`)
	if u, ok := r.Data.(Unknown); ok {
		buf.Write(u.JSON)
	} else if err := encodeValue(enc, buf, r.Data); err != nil {
		return dst, fmt.Errorf("event: record %d of type %s: %w", r.Seq, r.Data.Type(), err)
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// encodeValue writes v without the newline that an encoder adds.
func encodeValue(enc *json.Encoder, buf *bytes.Buffer, v any) error {
	if err := enc.Encode(v); err != nil {
		return err
	}
	buf.Truncate(buf.Len() - 1)
	return nil
}

// UnmarshalJSON reads a record. A type that this version does not know becomes
// [Unknown]; a known type with unknown fields keeps its line in Raw.
func (r *Record) UnmarshalJSON(line []byte) error {
	var env envelope
	known, err := decodeKnown(line, &env)
	if err != nil {
		return fmt.Errorf("event: record: %w", err)
	}
	switch {
	case env.Type == "":
		return errors.New("event: record without a type")
	case env.V < 1:
		return fmt.Errorf("event: record of type %s without a version (field v)", env.Type)
	case env.Seq < 0:
		return fmt.Errorf("event: record of type %s has seq %d; it counts from 1", env.Type, env.Seq)
	case len(env.Data) == 0 || env.Data[0] != '{':
		return fmt.Errorf("event: record %d of type %s: field data is no object", env.Seq, env.Type)
	}
	rec := Record{V: env.V, Seq: env.Seq, Time: env.Time.UTC(), Agent: env.Agent, Turn: env.Turn}
	decode, ok := decoders[env.Type]
	if ok {
		var all bool
		if rec.Data, all, err = decode(env.Data); err != nil {
			return fmt.Errorf("event: record %d of type %s: %w", env.Seq, env.Type, err)
		}
		known = known && all
	} else {
		rec.Data = Unknown{Name: env.Type, JSON: bytes.Clone(env.Data)}
	}
	if !known {
		var compact bytes.Buffer
		if err := json.Compact(&compact, line); err != nil {
			return fmt.Errorf("event: record %d: %w", env.Seq, err)
		}
		rec.Raw = compact.Bytes()
	}
	*r = rec
	return nil
}

// decodeKnown decodes into v and reports whether v has a field for all that
// the text says.
func decodeKnown(text []byte, v any) (known bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if dec.Decode(v) == nil {
		return true, nil
	}
	return false, json.Unmarshal(text, v)
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
