package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/tools"
)

type point struct {
	X int `json:"x"`
	Y int `json:"y,omitempty"`
}

type everything struct {
	Name   string            `json:"name" jsonschema:"a name"`
	Count  int               `json:"count,omitempty"`
	Small  int8              `json:"small,omitempty"`
	Ratio  float64           `json:"ratio,omitempty"`
	On     bool              `json:"on,omitempty"`
	List   []string          `json:"list,omitempty"`
	Points []point           `json:"points,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Next   *point            `json:"next,omitempty"`
	When   time.Time         `json:"when,omitzero"`
	Data   []byte            `json:"data,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Mode   string            `json:"mode,omitempty"`
	Any    any               `json:"any,omitempty"`
}

// decoder returns a function that gives what a tool gets for arguments. The
// tool holds only one call at a time.
func decoder(opts ...tools.Option) func(arguments string) (everything, error) {
	var got everything
	tool := tools.Func("all", "Takes all.", func(_ context.Context, in everything) (string, error) {
		got = in
		return "", nil
	}, append(opts, tools.Enum("mode", "a", "b"), tools.NonBlank("name"))...)
	return func(arguments string) (everything, error) {
		got = everything{}
		_, err := tool.Run(context.Background(), tools.Call{Arguments: json.RawMessage(arguments)})
		return got, err
	}
}

func TestArgumentsDecoded(t *testing.T) {
	tests := []struct {
		arguments string
		want      everything
	}{
		{`{"name":"n"}`, everything{Name: "n"}},
		{" \n{\"name\" : \"n\"}\t", everything{Name: "n"}},
		{`{"name":"n","count":10.0,"small":-128}`, everything{Name: "n", Count: 10, Small: -128}},
		{`{"name":"n","count":1e3}`, everything{Name: "n", Count: 1000}},
		{`{"name":"n","count":9007199254740993}`, everything{Name: "n", Count: 9007199254740993}},
		{`{"name":"n","count":null,"list":null,"next":null,"any":null,"raw":null}`, everything{Name: "n"}},
		{`{"name":"n","mode":""}`, everything{Name: "n"}},
		{`{"name":"n","mode":"b"}`, everything{Name: "n", Mode: "b"}},
		{`{"name":"n","next":{"x":1},"points":[{"x":1,"y":2}]}`, everything{Name: "n", Next: &point{X: 1}, Points: []point{{1, 2}}}},
		{`{"name":"n","when":"2000-01-01T00:00:00Z"}`, everything{Name: "n", When: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{`{"name":"n","data":"aGk=","raw":{"a":[1]}}`, everything{Name: "n", Data: []byte("hi"), Raw: json.RawMessage(`{"a":[1]}`)}},
		{`{"name":"n","labels":{"a":"b"},"any":[1]}`, everything{Name: "n", Labels: map[string]string{"a": "b"}, Any: []any{1.0}}},
		{`{"name":"\u0000\ud83d\ude00"}`, everything{Name: "\x00😀"}},
	}
	decode := decoder()
	for _, test := range tests {
		got, err := decode(test.arguments)
		if err != nil {
			t.Errorf("%s: %v", test.arguments, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.arguments, diff)
		}
	}
}

func TestArgumentsRefused(t *testing.T) {
	tests := []struct {
		arguments       string
		argument        string
		found, want     string
		foundZh, wantZh string
	}{
		{``, "", `nothing`, `a JSON object`, `没有内容`, `一个 JSON 对象`},
		{`null`, "", `null`, `a JSON object`, `null`, `一个 JSON 对象`},
		{`[1]`, "", `array [1]`, `a JSON object`, `array [1]`, `一个 JSON 对象`},
		{`"{}"`, "", `string "{}"`, `a JSON object`, `string "{}"`, `一个 JSON 对象`},
		{`{"name":"n"`, "", `text that is not JSON (unexpected end of JSON input): {"name":"n"`, `one JSON object`, `不是 JSON 的文本（unexpected end of JSON input）：{"name":"n"`, `一个 JSON 对象`},
		{`{"name":"n"}{}`, "", `text that is not JSON (invalid character '{' after top-level value): {"name":"n"}{}`, `one JSON object`, `不是 JSON 的文本（invalid character '{' after top-level value）：{"name":"n"}{}`, `一个 JSON 对象`},
		{"{\"name\":\"\xff\"}", "", `bytes that are not UTF-8`, `a JSON object in UTF-8`, `不是 UTF-8 的字节`, `UTF-8 编码的 JSON 对象`},
		{`{}`, "name", `nothing`, `string`, `没有给出`, `string`},
		{`{"name":null}`, "name", `null`, `string`, `null`, `string`},
		{`{"name":"\n "}`, "name", `string "\n "`, `a string that is not blank`, `string "\n "`, `不为空白的 string`},
		{`{"name":"a","name":"b"}`, "name", `two values`, `one value`, `两个值`, `一个值`},
		{`{"name":"n","Count":1}`, "Count", `number 1`, `no such argument; did you mean "count"?`, `number 1`, `没有这个参数；是否想写 "count"？`},
		{`{"name":"n","zzzzzz":true}`, "zzzzzz", `boolean true`, `no such argument`, `boolean true`, `没有这个参数`},
		{`{"name":"n","count":"10"}`, "count", `string "10"`, `integer`, `string "10"`, `integer`},
		{`{"name":"n","count":1.5}`, "count", `number 1.5`, `integer`, `number 1.5`, `integer`},
		{`{"name":"n","count":1e30}`, "count", `number 1e30`, `a value that fits integer`, `number 1e30`, `符合 integer 的取值`},
		{`{"name":"n","count":1e999}`, "count", `number 1e999`, `integer`, `number 1e999`, `integer`},
		{`{"name":"n","small":128}`, "small", `number 128`, `integer from -128 up to 127`, `number 128`, `integer，最小 -128，最大 127`},
		{`{"name":"n","mode":"c"}`, "mode", `string "c"`, `"a"|"b"`, `string "c"`, `"a"|"b"`},
		{`{"name":"n","list":"a"}`, "list", `string "a"`, `[string]`, `string "a"`, `[string]`},
		{`{"name":"n","when":"today"}`, "when", `string "today"`, `a value that fits string`, `string "today"`, `符合 string 的取值`},
		{`{"name":"n","data":"?"}`, "data", `string "?"`, `a value that fits string`, `string "?"`, `符合 string 的取值`},
		{`{"name":"n","on":"` + strings.Repeat("长", 100) + `"}`, "on", `string "` + strings.Repeat("长", 79) + `…`, `boolean`, `string "` + strings.Repeat("长", 79) + `…`, `boolean`},
	}
	for _, test := range tests {
		for _, lang := range []string{"en", "zh"} {
			_, err := decoder(tools.Lang(lang))(test.arguments)
			bad, ok := errors.AsType[*tools.ArgumentError](err)
			if !ok {
				t.Errorf("%s: error %v, want an ArgumentError", test.arguments, err)
				continue
			}
			found, want := test.found, test.want
			if lang == "zh" {
				found, want = test.foundZh, test.wantZh
			}
			if bad.Tool != "all" || bad.Argument != test.argument || bad.Found != found || bad.Want != want {
				t.Errorf("%s %s:\n got %q, found %q, want %q\nwant %q, found %q, want %q",
					lang, test.arguments, bad.Argument, bad.Found, bad.Want, test.argument, found, want)
			}
			for _, part := range []string{bad.Tool, bad.Argument, bad.Found, bad.Want, bad.Signature} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q lacks %q", test.arguments, err, part)
				}
			}
		}
	}
}

func TestNestedArgumentRefused(t *testing.T) {
	for arguments, place := range map[string]string{
		`{"name":"n","points":[{"x":1},{"x":"1"}]}`: "x",
		`{"name":"n","points":[{"y":1}]}`:           "x",
		`{"name":"n","next":{"x":1,"z":2}}`:         "z",
		`{"name":"n","labels":{"a":1}}`:             "string",
	} {
		_, err := decoder()(arguments)
		bad, ok := errors.AsType[*tools.ArgumentError](err)
		if !ok || !strings.Contains(bad.Want, place) {
			t.Errorf("%s: error %v, want one that names %s", arguments, err, place)
		}
		t.Log(err)
	}
}

func TestNoArgumentsNeeded(t *testing.T) {
	tool := tools.Func("free", "", func(_ context.Context, in struct {
		N int `json:"n,omitempty"`
	},
	) (int, error) {
		return in.N + 1, nil
	})
	for _, arguments := range []string{"", " \n", "null", " null ", "{}"} {
		got, err := tool.Run(context.Background(), tools.Call{Arguments: json.RawMessage(arguments)})
		if got != "1" || err != nil {
			t.Errorf("arguments %q: got %q, %v", arguments, got, err)
		}
	}
}

func TestResults(t *testing.T) {
	type named string
	tests := []struct {
		out  any
		want string
	}{
		{"as it is\n", "as it is\n"},
		{"", ""},
		{named("quoted"), `"quoted"`},
		{42, "42"},
		{[]string{"<a> & b"}, `["<a> & b"]`},
		{struct{}{}, "{}"},
		{nil, "null"},
		{json.RawMessage(`{"a":1}`), `{"a":1}`},
	}
	for _, test := range tests {
		tool := tools.Func("out", "", func(context.Context, struct{}) (any, error) { return test.out, nil })
		got, err := tool.Run(context.Background(), tools.Call{})
		if got != test.want || err != nil {
			t.Errorf("%#v: got %q, %v, want %q", test.out, got, err, test.want)
		}
	}
	tool := tools.Func("out", "", func(context.Context, struct{}) (float64, error) { return math.NaN(), nil })
	if got, err := tool.Run(context.Background(), tools.Call{}); err == nil {
		t.Errorf("NaN: got %q, want an error", got)
	}
}

func TestFuncErrors(t *testing.T) {
	mine := errors.New("no such item")
	tool := tools.Func("f", "", func(context.Context, struct{}) (string, error) { return "lost", mine })
	if got, err := tool.Run(context.Background(), tools.Call{}); got != "" || !errors.Is(err, mine) {
		t.Errorf("got %q, %v, want the function's own error alone", got, err)
	}
	tool = tools.Func("f", "", func(context.Context, struct{}) (string, error) {
		return "", &tools.ArgumentError{Argument: "a", Found: "b", Want: "c"}
	})
	_, err := tool.Run(context.Background(), tools.Call{})
	if got, want := err.Error(), `f: wrong argument "a": found b; wanted c; usage: f()`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFuncCall(t *testing.T) {
	tool := tools.FuncCall("f", "", func(_ context.Context, call tools.Call, in point) (string, error) {
		return fmt.Sprint(call.Agent, call.RequestID, in.X), nil
	})
	got, err := tool.Run(context.Background(), tools.Call{Agent: "uio_1", RequestID: "r", Arguments: json.RawMessage(`{"x":3}`)})
	if got != "uio_1r3" && got != "uio_1 r 3" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOptions(t *testing.T) {
	spec := tools.Func("f", "d", func(context.Context, point) (string, error) { return "", nil },
		tools.Idempotent, tools.Exclusive(), tools.Ordered(), tools.Waits(), tools.Writes(), tools.Describe("x", "across")).Spec()
	if spec.Effect != tools.Idempotent || !spec.Exclusive || !spec.Ordered || !spec.Waits || !spec.Writes {
		t.Errorf("got %+v, want everything set", spec)
	}
	if !strings.Contains(string(spec.Schema), `"description":"across"`) {
		t.Errorf("schema %s lacks the description", spec.Schema)
	}
}

type (
	cyclic struct {
		Next *cyclic `json:"next"`
	}
	embedded struct {
		point `json:"p"`
	}
	custom struct{ n int }
)

func (c *custom) UnmarshalJSON([]byte) error { c.n = 1; return nil }

func impossible[In any](opts ...tools.Option) func() {
	return func() {
		tools.Func("f", "", func(context.Context, In) (string, error) { return "", nil }, opts...)
	}
}

func TestFuncPanics(t *testing.T) {
	tests := map[string]func(){
		"string":   impossible[string](),
		"pointer":  impossible[*point](),
		"map":      impossible[map[string]string](),
		"any":      impossible[any](),
		"time":     impossible[time.Time](),
		"channel":  impossible[struct{ C chan int }](),
		"function": impossible[struct{ F func() }](),
		"map key":  impossible[struct{ M map[int]string }](),
		"cycle":    impossible[cyclic](),
		"renamed":  impossible[embedded](),
		"json string": impossible[struct {
			N int `json:",string"`
		}](),
		"own JSON":     impossible[struct{ C custom }](),
		"deep":         impossible[struct{ C []map[string]*custom }](),
		"interface":    impossible[struct{ E error }](),
		"enum":         impossible[point](tools.Enum("mode", "a")),
		"enum of ints": impossible[point](tools.Enum("x", "a")),
		"empty enum":   impossible[everything](tools.Enum("mode")),
		"description":  impossible[point](tools.Describe("z", "text")),
		"blank":        impossible[point](tools.NonBlank("x")),
		"nil":          func() { tools.Func[point, string]("f", "", nil) },
		"nil call":     func() { tools.FuncCall[point, string]("f", "", nil) },
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				value := recover()
				text, ok := value.(string)
				if !ok || !strings.HasPrefix(text, "tools: f: ") {
					t.Errorf("panic value %v (%v), want a text that begins with tools: f:", value, reflect.TypeOf(value))
				}
				t.Log(text)
			}()
			build()
		})
	}
}

// FuzzArguments: whatever a model writes, the function runs only with
// arguments that fit, and what it got fits again.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"name":"n"}`, `{"name":"n","count":1e5}`, `{"name":"a","name":"b"}`, `{"NAME":"a"}`,
		`{"name":"n","points":[{"x":1}],"any":{"a":[null]},"raw":1}`, `{"name":"\ud800"}`, `{"name":"n","count":-0}`,
		`{"name":"n","when":"2000-01-01T00:00:00Z","data":"aGk="}`, `{"name":"n"}]`, "{\"name\":\"\xff\"}", `[[[[`,
		`{"name":"n","count":9223372036854775808}`, `{"name":"n","list":[null]}`, `{"name":"n","next":{"x":1.0}}`,
	} {
		f.Add(seed)
	}
	decode := decoder()
	f.Fuzz(func(t *testing.T, arguments string) {
		got, err := decode(arguments)
		if err != nil {
			if _, ok := errors.AsType[*tools.ArgumentError](err); !ok {
				t.Fatalf("error %v is no ArgumentError", err)
			}
			return
		}
		if strings.TrimSpace(got.Name) == "" || got.Mode != "" && got.Mode != "a" && got.Mode != "b" {
			t.Fatalf("%q gave %+v, which does not fit", arguments, got)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := decode(string(again))
		if err != nil {
			t.Fatalf("%q was taken, %s is not: %v", arguments, again, err)
		}
		if third, err := json.Marshal(twice); err != nil || string(third) != string(again) {
			t.Fatalf("%s decodes to %s (%v)", again, third, err)
		}
	})
}
