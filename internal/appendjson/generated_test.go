package appendjson_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// leaves are types that the generated ones consist of.
var leaves = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[word](), reflect.TypeFor[shout](), reflect.TypeFor[int](),
	reflect.TypeFor[int8](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex128](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[json.Number](), reflect.TypeFor[any](),
	reflect.TypeFor[json.Marshaler](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[chan int](), reflect.TypeFor[func()](),
	reflect.TypeFor[byPointer](), reflect.TypeFor[half](), reflect.TypeFor[halfPointer](), reflect.TypeFor[inner](), reflect.TypeFor[tree](),
}

// tags are what may stand behind a field; % is its name.
var tags = []string{
	`json:"%"`, `json:"%"`, `json:"%,omitempty"`, `json:"%,omitzero"`, `json:"%,omitempty,omitzero"`,
	`json:"%,string"`, `json:"%,other"`, `json:"%,"`, `json:"-"`, `json:"-,"`, `json:",omitempty"`, `json:"%<>"`, `yaml:"%"`, ``, `json:"%`,
}

// generator makes types and values; the same ones from the same seed.
type generator struct{ *rand.Rand }

// pick returns one of the given.
func pick[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

// typ makes a type in which others lie at most depth deep.
func (g generator) typ(depth int) reflect.Type {
	if depth == 0 {
		return pick(g, leaves...)
	}
	switch g.IntN(7) {
	case 0:
		return pick(g, leaves...)
	case 1:
		return reflect.PointerTo(g.typ(depth - 1))
	case 2:
		return reflect.SliceOf(g.typ(depth - 1))
	case 3:
		return reflect.ArrayOf(g.IntN(3), g.typ(depth-1))
	case 4:
		return reflect.MapOf(pick(g, reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[shout]()), g.typ(depth-1))
	default:
		return g.structType(depth)
	}
}

func (g generator) structType(depth int) reflect.Type {
	fields := make([]reflect.StructField, g.IntN(6))
	for i := range fields {
		// Half of them are of the usual kind, so that this package writes many structs.
		tag := pick(g, tags[g.IntN(5)], pick(g, tags...))
		name := pick(g, "same", fmt.Sprintf("f_%d", i), fmt.Sprintf("f%d", i), fmt.Sprintf("n%d", i))
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: g.typ(depth - 1), Tag: reflect.StructTag(strings.ReplaceAll(tag, "%", name)),
		}
	}
	return reflect.StructOf(fields)
}

// given are values of types that have a form of their own.
var given = map[reflect.Type][]any{
	reflect.TypeFor[time.Time]():       {time.Unix(1772366400, 5), time.Time{}.In(time.FixedZone("", 60)), time.Unix(1e12, 0)},
	reflect.TypeFor[json.RawMessage](): {json.RawMessage(""), json.RawMessage("{"), json.RawMessage(`{ "a" : "<` + "\u2028" + `" }`)},
	reflect.TypeFor[json.Marshaler]():  {(*byPointer)(nil), &byPointer{2}, json.RawMessage("{}")},
	reflect.TypeFor[fmt.Stringer]():    {time.Second, json.Number("3")},
	reflect.TypeFor[any]():             {1, "<x>", 1.5, []any{nil}, map[string]any{"a": nil}, &inner{}, byPointer{}, json.Number("1")},
}

// fill sets v, and what lies in it, to values of which many are odd.
func (g generator) fill(v reflect.Value, depth int) {
	if !v.CanSet() || depth == 0 || g.IntN(4) == 0 {
		return
	}
	if values, ok := given[v.Type()]; ok {
		v.Set(reflect.ValueOf(pick(g, values...)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(pick(g, "a", "<&>\u2028", "\xff", "ok\xe2\x80", "\x00\x7f", "设计😀", "a\"\\\n", "12", "-1e5", "1e", "\xed\xa0\x80"))
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(pick[int64](g, 1, -1, math.MaxInt64, math.MinInt64))
	case reflect.Uint, reflect.Uint8, reflect.Uintptr:
		v.SetUint(math.MaxUint64)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(pick(g, 1, -0.5, math.Copysign(0, -1), 1e21, 1e-7, math.Inf(1)))
	default:
		g.fillMany(v, depth-1)
	}
}

// fillMany sets what holds others.
func (g generator) fillMany(v reflect.Value, depth int) {
	fresh := func(t reflect.Type) reflect.Value {
		p := reflect.New(t)
		g.fill(p.Elem(), depth)
		return p
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(fresh(v.Type().Elem()))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range g.IntN(3) {
			v.SetMapIndex(fresh(v.Type().Key()).Elem(), fresh(v.Type().Elem()).Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), g.IntN(3), 3))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			g.fill(v.Index(i), depth)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			g.fill(field, depth)
		}
	default: // channels and functions stay nil
	}
}

// TestGenerated compares values of thousands of types with encoding/json.
func TestGenerated(t *testing.T) {
	for seed := range uint64(4_000) {
		g := generator{rand.New(rand.NewPCG(seed, 0))}
		v := reflect.New(g.typ(3))
		g.fill(v.Elem(), 6)
		check(t, pick(g, v, v.Elem()).Interface())
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
