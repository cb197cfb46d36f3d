package transcript_test

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// In a view no text of a record has a secret, the model's calls included; what
// has none is the record itself.
func TestViewsAreMasked(t *testing.T) {
	const key = `sk-abcdef0123456789abcdef0123456789 se"cret`
	mask := transcript.NewMask(`se"cret`).WithPatterns()
	for _, typ := range dataTypes(t) {
		v := reflect.New(typ).Elem()
		walk(v, typ.Name(), func(_ string, leaf reflect.Value) {
			switch leaf.Kind() {
			case reflect.String:
				leaf.SetString(key)
			default:
			}
		})
		d, _ := reflect.TypeAssert[event.Data](v)
		if u, ok := d.(event.Unknown); ok {
			u.Name, u.JSON = "new.type", []byte(`{"k":"`+strings.ReplaceAll(key, `"`, `\"`)+`"}`)
			d = u
		}
		if s, ok := d.(event.RunStarted); ok {
			s.Team = []byte(`{"k":"` + strings.ReplaceAll(key, `"`, `\"`) + `"}`)
			d = s
		}
		rec := event.Record{V: 1, Seq: 3, Agent: "tl", Data: d}
		for got, err := range mask.Records(of(rec, nil)) {
			if text := fmt.Sprintf("%+v", got.Data); err != nil || strings.Contains(text, "abcdef0123") || strings.Contains(text, "cret") {
				t.Errorf("%T became %s, %v", d, text, err)
			}
			if got.Seq != 3 || got.Agent != "tl" || got.Type() != d.Type() {
				t.Errorf("%T became %+v", d, got)
			}
		}
	}
	plain := event.Record{V: 1, Seq: 3, Agent: "tl", Data: event.Warning{Code: "c", Text: `a "b" \ c`}}
	broken := errors.New("broken")
	for got, err := range mask.Records(of(plain, broken)) {
		if err == nil {
			same(t, "plain", []event.Record{got}, []event.Record{plain})
		} else if !errors.Is(err, broken) {
			t.Errorf("error %v, want the one of the source", err)
		}
	}
}

// of yields one record, then err unless that is nil.
func of(rec event.Record, err error) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		if yield(rec, nil) && err != nil {
			yield(event.Record{}, err)
		}
	}
}
