package transcript_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// dataTypes are the structs of all record types, as zero values.
func dataTypes(t testing.TB) []reflect.Type {
	t.Helper()
	var all []reflect.Type
	for _, typ := range event.Types() {
		var rec event.Record
		line := fmt.Sprintf(`{"v":1,"seq":1,"ts":"2026-03-01T12:00:00Z","type":%q,"data":{}}`, typ)
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		all = append(all, reflect.TypeOf(rec.Data))
	}
	slices.SortFunc(all, func(a, b reflect.Type) int { return strings.Compare(a.Name(), b.Name()) })
	return append(all, reflect.TypeFor[event.Unknown]())
}

// enter puts d through a log and returns it as appended, or as followers get
// it when it is live.
func enter(t testing.TB, o transcript.Options, d event.Data) event.Data {
	t.Helper()
	l := closing(t, transcript.NewMemory(o))
	if !d.Type().Live() {
		return add(t, l, d).Data
	}
	fill(t, l, 1)
	for rec, err := range l.Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Seq == 0 {
			return rec.Data
		}
		l.Live("uio_1", 1, d)
		fill(t, l, 1) // ends the loop should nothing come
		if rec.Seq > 1 {
			t.Fatalf("%T was not handed over", d)
		}
	}
	return nil
}

// walk calls visit for every leaf under v, with its path such as
// "TurnEnded.Failure.Message". It makes what is nil, so that there is a leaf.
func walk(v reflect.Value, path string, visit func(path string, leaf reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time](), v.Type() == reflect.TypeFor[json.RawMessage]():
		visit(path, v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		walk(v.Elem(), path, visit)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		walk(v.Index(0), path, visit)
	default:
		visit(path, v)
	}
}

// exempt are the string fields that are never masked: ids and names that other
// records or parts refer to, words of closed sets, and the calls as the model
// made them.
var exempt = []string{
	"AgentCreated.CallID", "AgentCreated.Code",
	"AgentCreated.Lent.Models.Name", "AgentCreated.Lent.Models.Price.Currency",
	"AgentCreated.Lent.Tools.About", "AgentCreated.Lent.Tools.Effect", "AgentCreated.Lent.Tools.Name", "AgentCreated.Lent.Tools.Subject",
	"AgentCreated.Model", "AgentCreated.Parent", "AgentCreated.Role", "AgentCreated.Tools",
	"AgentState.From", "AgentState.To", "AgentStopping.Mode",
	"ApprovalDecided.Decision", "ApprovalDecided.ID", "ApprovalDecided.Rule",
	"ApprovalRequested.Arguments", "ApprovalRequested.CallID", "ApprovalRequested.ID", "ApprovalRequested.Name", "ApprovalRequested.Rule",
	"ArtifactCreated.CallID",
	"HistoryCompacted.ID", "HistoryCompacted.Pinned",
	"LimitReached.Limit", "LimitWarned.Limit",
	"MessageDelivered.ID",
	"MessageReturned.ID", "MessageReturned.To",
	"MessageSent.CallID", "MessageSent.From", "MessageSent.ID", "MessageSent.Kind", "MessageSent.Reason", "MessageSent.RequestID", "MessageSent.To",
	"ModelFailed.Cost.Currency", "ModelFailed.Failure.Code", "ModelFailed.Failure.Who", "ModelFailed.Model", "ModelFailed.Purpose",
	"ModelProfile.Switch", "ModelProfile.Value",
	"ModelReplied.Calls.Arguments", "ModelReplied.Calls.Extra", "ModelReplied.Calls.ID", "ModelReplied.Calls.Name",
	"ModelReplied.Cost.Currency", "ModelReplied.Extra", "ModelReplied.Finish", "ModelReplied.Model", "ModelReplied.Purpose",
	"ModelRequested.Digest", "ModelRequested.Model", "ModelRequested.Purpose", "ModelRequested.ReservedCost.Currency",
	"ModelRetried.Failure.Code", "ModelRetried.Failure.Who",
	"QuestionClosed.AnswerID", "QuestionClosed.From", "QuestionClosed.ID", "QuestionClosed.Outcome",
	"QuestionOpened.CallID", "QuestionOpened.From", "QuestionOpened.ID", "QuestionOpened.To",
	"RoleCreated.CallID", "RoleCreated.Code", "RoleCreated.ID", "RoleCreated.Model", "RoleCreated.Tools",
	"RunFailed.Cost.Currency", "RunFailed.Failure.Code", "RunFailed.Failure.Who",
	"RunFinished.Cost.Currency", "RunFinished.Limit",
	"RunResumed.Lang", "RunResumed.Program", "RunResumed.RequestID",
	"RunStarted.Fork.RunID", "RunStarted.Import.Format", "RunStarted.Import.ID", "RunStarted.Lang", "RunStarted.ModelKind", "RunStarted.Program", "RunStarted.Redact", "RunStarted.RequestID", "RunStarted.RunID", "RunStarted.TraceID",
	"RunSuspended.Cause", "RunSuspended.ID",
	"ToolFinished.CallID", "ToolFinished.File", "ToolFinished.Name",
	"ToolHanded.Arguments", "ToolHanded.CallID", "ToolHanded.Name",
	"ToolOutput.CallID",
	"ToolReturned.By", "ToolReturned.CallID",
	"ToolStarted.Arguments", "ToolStarted.CallID", "ToolStarted.Name", "ToolStarted.RequestID",
	"TurnEnded.Failure.Code", "TurnEnded.Failure.Who", "TurnEnded.Limit", "TurnEnded.Reason",
	"Unknown.Name",
	"Warning.Code",
}

// A new string field is either masked or, for a reason, on the list above.
func TestEveryTextIsMasked(t *testing.T) {
	const secret = "sk-live-0123456789"
	o := transcript.Options{Mask: transcript.NewMask(secret)}
	var kept []string
	for _, typ := range dataTypes(t) {
		v := reflect.New(typ).Elem()
		walk(v, typ.Name(), func(path string, leaf reflect.Value) {
			switch {
			case leaf.Kind() == reflect.String:
				leaf.SetString("the key " + secret + " is good")
			case leaf.Type() == reflect.TypeFor[json.RawMessage]():
				leaf.SetBytes([]byte(`{"the key ` + secret + ` is":["` + secret + `"]}`))
			}
		})
		out := enter(t, o, v.Interface().(event.Data))
		find(reflect.ValueOf(out), typ.Name(), func(path, text string) {
			hidden := strings.Contains(text, transcript.Masked)
			if hidden == strings.Contains(text, secret) {
				t.Errorf("%s became %q", path, text)
			}
			if !hidden {
				kept = append(kept, path)
			}
		})
	}
	slices.Sort(kept)
	if diff := cmp.Diff(exempt, kept); diff != "" {
		t.Errorf("fields that are not masked (-exempt +found):\n%s", diff)
	}
}

// find calls visit for every string under v.
func find(v reflect.Value, path string, visit func(path, text string)) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		visit(path, string(v.Bytes()))
	case v.Kind() == reflect.String:
		visit(path, v.String())
	case v.Kind() == reflect.Pointer:
		find(v.Elem(), path, visit)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			find(v.Index(i), path, visit)
		}
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
		for i := range v.NumField() {
			find(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	}
}

// oddTexts are strings that JSON or masking may change.
var oddTexts = []string{
	"", "plain", "世界 👩‍👩‍👧", "<a href=\"x\">&amp;</a>", "\x00\x1f\x7f\u2028", "bad \xff\xfe\xe4\xb8 end", "\xed\xa0\x80",
	"the secret sk-live-0123456789 here", "\xffsk-live-0123456789", "a\\u00e9\\", "line\nbreak\r\n",
}

// randomData fills a value of the type with odd things, some of them nil or
// empty.
func randomData(rng *rand.Rand, typ reflect.Type) event.Data {
	v := reflect.New(typ).Elem()
	randomize(rng, v)
	if u, ok := reflect.TypeAssert[event.Unknown](v); ok {
		return event.Unknown{Name: "x." + u.Name, JSON: []byte("{ \"a\" : \"\xff<\" }")}
	}
	return v.Interface().(event.Data)
}

func randomize(rng *rand.Rand, v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		if rng.IntN(2) == 0 {
			zone := time.FixedZone("", rng.IntN(7200))
			v.Set(reflect.ValueOf(time.Unix(rng.Int64N(1<<33), rng.Int64N(1e9)).In(zone)))
		}
		return
	case json.RawMessage:
		raws := []json.RawMessage{nil, {}, json.RawMessage("null"), json.RawMessage("{ \"a\": [1.0, \"\xff<\"] }\n"), json.RawMessage(`"sk-live-0123456789"`)}
		v.Set(reflect.ValueOf(raws[rng.IntN(len(raws))]))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(oddTexts[rng.IntN(len(oddTexts))])
	case reflect.Int, reflect.Int64:
		v.SetInt(rng.Int64N(1000) - 100)
	case reflect.Float64:
		v.SetFloat(rng.NormFloat64())
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.Pointer:
		if rng.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			randomize(rng, v.Elem())
		}
	case reflect.Slice:
		if n := rng.IntN(4) - 1; n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				randomize(rng, v.Index(i))
			}
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			randomize(rng, field)
		}
	}
}

// What Append returns is what a reader finds: in the log, in the file of a log
// that is opened again, and to the last detail, so nil is not empty here.
func TestAppendedIsRead(t *testing.T) {
	for _, mask := range []*transcript.Mask{nil, transcript.NewMask("sk-live-0123456789")} {
		rng := rand.New(rand.NewPCG(1, 2))
		o := transcript.Options{Mask: mask, Sync: transcript.SyncOff, TailRecords: 1}
		dir := t.TempDir()
		l := create(t, dir, o)
		var want []event.Record
		for _, typ := range dataTypes(t) {
			for range 40 {
				d := randomData(rng, typ)
				if d.Type().Live() {
					continue
				}
				rec, err := l.Append(oddTexts[rng.IntN(len(oddTexts))], rng.IntN(3), d)
				if err != nil {
					t.Fatalf("Append %#v: %v", d, err)
				}
				want = append(want, rec)
			}
		}
		exactly := func(what string, got []event.Record) {
			t.Helper()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-returned +read):\n%s", what, diff)
			}
			for i, rec := range got {
				if rec.Time != want[i].Time { // also the zone and the monotonic reading
					t.Errorf("%s: time %#v, want %#v", what, rec.Time, want[i].Time)
				}
			}
		}
		exactly("records", collect(t, l.Records(0)))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		exactly("file", collect(t, transcript.ReadFile(t.Context(), l.Path(), transcript.ReadOptions{})))
		exactly("opened again", collect(t, reopen(t, dir, o).Records(0)))
	}
}

// The caller may go on to change what it passed, and a reader what it got from
// the log's own copy; neither changes the log.
func TestAppendCopies(t *testing.T) {
	for _, typ := range dataTypes(t) {
		v := reflect.New(typ).Elem()
		walk(v, "", func(_ string, leaf reflect.Value) {
			switch {
			case leaf.Kind() == reflect.String:
				leaf.SetString("before")
			case leaf.Type() == reflect.TypeFor[json.RawMessage]():
				leaf.SetBytes([]byte(`{"a":"before"}`))
			}
		})
		out := enter(t, transcript.Options{}, v.Interface().(event.Data))
		walkShared(v, func(leaf reflect.Value) {
			switch {
			case leaf.Kind() == reflect.String:
				leaf.SetString("after")
			case leaf.Type() == reflect.TypeFor[json.RawMessage]():
				copy(leaf.Bytes(), `{"b":"after!"}`)
			}
		})
		find(reflect.ValueOf(out), typ.Name(), func(path, text string) {
			if !strings.Contains(text, "before") {
				t.Errorf("%s changed to %q", path, text)
			}
		})
	}
}

// walkShared calls visit for the leaves under v, and leaves slices and
// pointers as they are.
func walkShared(v reflect.Value, visit func(leaf reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time](), v.Type() == reflect.TypeFor[json.RawMessage]():
		visit(v)
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			walkShared(field, visit)
		}
	case v.Kind() == reflect.Pointer:
		walkShared(v.Elem(), visit)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			walkShared(v.Index(i), visit)
		}
	default:
		visit(v)
	}
}

func TestSecretsDoNotReachTheFile(t *testing.T) {
	const secret = `p@ss/w<o>rd "quoted" \ back`
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{Mask: transcript.NewMask(secret)})
	escaped, err := json.Marshal(map[string]string{"key": secret})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{secret, string(escaped), "x" + secret + secret} {
		add(t, l, event.ToolFinished{Result: text})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, transcript.FileName))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"p@ss", "quoted", "back"} {
		if strings.Contains(string(text), part) {
			t.Errorf("the file has %q:\n%s", part, text)
		}
	}
}
