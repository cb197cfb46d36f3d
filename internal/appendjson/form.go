package appendjson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// form is how values of a type are written.
type form struct {
	kind   reflect.Kind // Int for all that are signed; Invalid: encoding/json writes it
	elem   *form        // of a pointer and of a slice
	fields []field      // of a struct
}

// field is a field of a struct.
type field struct {
	index               int
	name                string // quoted, with a colon
	form                *form
	omitEmpty, omitZero bool
	saysZero            bool // the value tells whether it is zero
}

var (
	mu    sync.Mutex // guards the making of forms
	forms sync.Map   // *form by reflect.Type; complete
)

// formOf makes the form of a type at the first use.
func formOf(t reflect.Type) *form {
	if f, ok := forms.Load(t); ok {
		return f.(*form) //nolint:forcetypeassert // nothing else is stored
	}
	mu.Lock()
	defer mu.Unlock()
	made := making{}
	f := made.form(t)
	for t, f := range made {
		forms.Store(t, f)
	}
	return f
}

// making has the forms that are being made, so that a type may hold itself.
type making map[reflect.Type]*form

func (m making) form(t reflect.Type) *form {
	if f, ok := forms.Load(t); ok {
		return f.(*form) //nolint:forcetypeassert // nothing else is stored
	}
	if f, ok := m[t]; ok {
		return f
	}
	f := &form{}
	m[t] = f
	if !ownMethods(t) && t != reflect.TypeFor[json.Number]() {
		m.fill(f, t)
	}
	return f
}

// fill completes f when this package writes the type.
func (m making) fill(f *form, t reflect.Type) {
	switch t.Kind() {
	case reflect.String, reflect.Bool:
		f.kind = t.Kind()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		f.kind = reflect.Int
	case reflect.Pointer:
		f.kind, f.elem = reflect.Pointer, m.form(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // bytes are written in base64
			f.kind, f.elem = reflect.Slice, m.form(t.Elem())
		}
	case reflect.Struct:
		if fields, ok := m.fieldsOf(t); ok {
			f.kind, f.fields = reflect.Struct, fields
		}
	default: // left to encoding/json
	}
}

// fieldsOf lists the fields of a struct; ok is false if it has any that only
// encoding/json knows how to write.
func (m making) fieldsOf(t reflect.Type) (fields []field, ok bool) {
	seen := map[string]bool{}
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous:
			return nil, false
		case !f.IsExported() || tag == "-":
			continue
		case !tagged || name == "" || seen[name] || strings.Contains(","+options+",", ",string,") || strings.ContainsFunc(name, odd):
			return nil, false
		}
		seen[name] = true
		made := field{index: f.Index[0], name: `"` + name + `":`, form: m.form(f.Type)}
		for option := range strings.SplitSeq(options, ",") {
			made.omitEmpty = made.omitEmpty || option == "omitempty"
			made.omitZero = made.omitZero || option == "omitzero"
		}
		made.saysZero = made.omitZero && f.Type.Implements(reflect.TypeFor[zeroer]())
		if made.omitZero && !made.saysZero && reflect.PointerTo(f.Type).Implements(reflect.TypeFor[zeroer]()) ||
			made.saysZero && f.Type.Kind() != reflect.Struct {
			return nil, false // who asks must know whether there is a value
		}
		fields = append(fields, made)
	}
	return fields, true
}

// zeroer is what says itself whether it is zero.
type zeroer interface{ IsZero() bool }

// odd reports whether a rune is none that every name of a field may have.
func odd(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }

// ownMethods reports whether a type or a pointer to it says itself how it is
// written.
func ownMethods(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}
