package appendjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// standard is what encoding/json writes, and whether it can.
func standard(v any) (string, bool) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err == nil
}

// check compares with encoding/json.
func check(t *testing.T, v any) {
	t.Helper()
	want, able := standard(v)
	got, err := appendjson.Value([]byte("before "), v)
	if able != (err == nil) {
		t.Fatalf("%T: error %v, encoding/json can write it: %t", v, err, able)
	}
	if !able {
		want = ""
	}
	if diff := cmp.Diff("before "+want, string(got)); diff != "" {
		t.Errorf("%T %+v (-encoding/json +got):\n%s", v, v, diff)
	}
}

type word string

// shout writes itself.
type shout string

func (s shout) MarshalText() ([]byte, error) {
	if s == "" {
		return nil, errors.New("nothing to shout")
	}
	return []byte(strings.ToUpper(string(s)) + "!"), nil
}

// byPointer writes itself where there is a pointer to it.
type byPointer struct {
	N int `json:"n"`
}

func (*byPointer) MarshalJSON() ([]byte, error) { return []byte(`"by <pointer>"`), nil }

// half is zero from 1 to 9 as well.
type half struct {
	N int `json:"n"`
}

func (h half) IsZero() bool { return h.N < 10 }

// halfPointer says so only by its pointer.
type halfPointer struct {
	N int `json:"n"`
}

func (h *halfPointer) IsZero() bool { return h == nil || h.N < 10 }

type inner struct {
	Text string `json:"text"`
	List []int  `json:"list,omitempty"`
}

// tree holds itself.
type tree struct {
	Name string  `json:"name"`
	Left *tree   `json:"left,omitempty"`
	More []tree  `json:"more"`
	Refs []*tree `json:"refs,omitzero"`
}

type all struct {
	Text    string            `json:"text"`
	Word    word              `json:"word,omitempty"`
	Shout   shout             `json:"shout,omitempty"`
	Flag    bool              `json:"flag"`
	Off     bool              `json:"off,omitempty"`
	Int     int               `json:"int"`
	Small   int8              `json:"small,omitempty"`
	Long    int64             `json:"long,omitzero"`
	Took    time.Duration     `json:"took"`
	Count   uint64            `json:"count"`
	Part    float64           `json:"part"`
	None    float32           `json:"none,omitempty"`
	Raw     json.RawMessage   `json:"raw,omitempty"`
	Bytes   []byte            `json:"bytes"`
	Words   []string          `json:"words"`
	Some    []string          `json:"some,omitempty"`
	Given   []string          `json:"given,omitzero"`
	Inner   inner             `json:"inner"`
	Zero    inner             `json:"zero,omitzero"`
	Kept    [0]int            `json:"kept,omitempty"`
	Pointer *inner            `json:"pointer"`
	Maybe   *inner            `json:"maybe,omitempty"`
	Inners  []inner           `json:"inners,omitempty"`
	Map     map[string]string `json:"map"`
	Any     any               `json:"any,omitempty"`
	Array   [2]int            `json:"array"`
	At      time.Time         `json:"at,omitzero"`
	Half    half              `json:"half,omitzero"`
	hidden  string
	Left    string `json:"-"`
}

// TestAsEncodingJSON goes through what fields can be, full and empty.
func TestAsEncodingJSON(t *testing.T) {
	in := inner{Text: "<a> & \"b\"", List: []int{1, -2}}
	full := all{
		Text: "text\n", Word: "w", Shout: "s", Flag: true, Off: true, Int: -3, Small: 4, Long: math.MaxInt64, Took: time.Second,
		Count: math.MaxUint64, Part: 1e-9, None: 2.5, Raw: json.RawMessage(`{ "a" : "<" }`), Bytes: []byte("bytes"),
		Words: []string{"a", "b"}, Some: []string{}, Given: []string{}, Inner: in, Zero: in, Pointer: &in, Maybe: &in,
		Inners: []inner{in, {}}, Map: map[string]string{"<": ">"}, Any: map[string]any{"x": []int{1}}, Array: [2]int{1, 2},
		At: time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC), Half: half{11}, hidden: "hidden", Left: "left",
	}
	odd := full
	odd.At, odd.Half, odd.Raw = time.Time{}.In(time.FixedZone("", 60)), half{9}, json.RawMessage{}
	type embedded struct {
		inner
		More string `json:"more"`
	}
	for _, v := range []any{
		nil, full, odd,
		all{},
		&full, (*all)(nil),
		[]all{full},
		"text", word("w"), 7, true, 1.5, []string(nil),
		[]int{},
		in,
		shout("x"),
		[]shout{"x", "y"},
		byPointer{1},
		&byPointer{1},
		[]byPointer{{1}},
		url.URL{Host: "h"},
		struct {
			P byPointer  `json:"p"`
			Q *byPointer `json:"q"`
		}{Q: &byPointer{2}},
		struct {
			P halfPointer  `json:"p,omitzero"`
			Q *halfPointer `json:"q,omitzero"`
			R *half        `json:"r,omitzero"`
		}{Q: &halfPointer{3}},
		json.Number("-1e5"), json.Number(""),
		[]json.Number{"7"},
		struct {
			M json.Marshaler `json:"m"`
			N json.Number    `json:"n,omitempty"`
		}{M: (*byPointer)(nil), N: "3"},
		embedded{in, "m"},
		struct{ NoTag string }{"x"},
		struct {
			Text string `json:",omitempty"`
		}{"x"},
		struct {
			N int `json:"n,string"`
		}{5},
		reflect.Zero(reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[string](), Tag: `json:"same"`},
			{Name: "B", Type: reflect.TypeFor[string](), Tag: `json:"same"`},
		})).Interface(),
		struct {
			A string `json:"<odd>"`
		}{"a"},
		struct{}{},
		tree{Name: "a", Left: &tree{Name: "b"}, More: []tree{{Name: "c"}, {Name: "d", Refs: []*tree{nil, {Name: "e"}}}}},
	} {
		check(t, v)
	}
}

// circle holds itself.
func circle() tree {
	t := tree{Name: "round"}
	t.Left = &t
	return t
}

// TestDeep goes past the depth at which encoding/json looks for circles.
func TestDeep(t *testing.T) {
	for _, depth := range []int{333, 499, 500, 501, 999, 1000, 1001, 3000} {
		v := tree{Name: "leaf"}
		for range depth {
			inside := v
			v = tree{Left: &inside}
		}
		check(t, v)
	}
}

// TestNoForm looks for what has no JSON form, in whatever it is.
func TestNoForm(t *testing.T) {
	type holder struct {
		Before string          `json:"before"`
		N      float64         `json:"n,omitempty"`
		Shouts []shout         `json:"shouts"`
		Ch     chan bool       `json:"ch,omitempty"`
		Raw    json.RawMessage `json:"raw,omitempty"`
	}
	for _, v := range []any{
		math.NaN(), math.Inf(1), make(chan bool), func() {}, shout(""),
		holder{N: math.NaN()},
		&holder{Shouts: []shout{"a", ""}},
		[]holder{{}, {Ch: make(chan bool)}},
		holder{Raw: json.RawMessage("{")},
		holder{},
		json.Number("1e"),
		struct {
			F func() `json:"f,omitempty"`
		}{},
		circle(),
		[]tree{circle()},
	} {
		check(t, v)
	}
}

// TestFirstUseByMany makes the form of one type many times at once.
func TestFirstUseByMany(t *testing.T) {
	type fresh struct {
		A []tree `json:"a"`
		B *all   `json:"b"`
	}
	v := fresh{A: []tree{{Name: "a", More: []tree{{Name: "b"}}}}, B: &all{Text: "t"}}
	want, _ := standard(v)
	var team sync.WaitGroup
	for range 16 {
		team.Go(func() {
			if got, err := appendjson.Value(nil, v); err != nil || string(got) != want {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		})
	}
	team.Wait()
}

// FuzzString compares with encoding/json on texts of any bytes.
func FuzzString(f *testing.F) {
	for c := range 256 {
		f.Add(string([]byte{'a', byte(c), 'z'}))
	}
	for _, s := range []string{"", "<&>", "设计\u2028注册页\u2029“引号”", "\xe2\x80", "\xe2", "ok\xff\u2028\xe2\x80\xa8\ufffd", "😀\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, _ := standard(s)
		if got := string(appendjson.String(nil, s)); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
		check(t, inner{Text: s})
	})
}
