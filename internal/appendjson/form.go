package appendjson

import (
	"cmp"
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
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
	name                string // of letters, digits and _
	form                *form
	omitEmpty, omitZero bool
	saysZero            bool // the value tells whether it is zero
}

var (
	mu    sync.RWMutex
	forms = map[reflect.Type]*form{} // guarded by mu; what is in it is complete
)

// formOf makes the form of a type at the first use.
func formOf(t reflect.Type) *form {
	mu.RLock()
	f := forms[t]
	mu.RUnlock()
	if f != nil {
		return f
	}
	mu.Lock()
	defer mu.Unlock()
	made := making{}
	f = made.form(t)
	maps.Copy(forms, made)
	return f
}

// making has the forms that are being made, so that a type may hold itself. The
// caller holds mu.
type making map[reflect.Type]*form

func (m making) form(t reflect.Type) *form {
	if f := cmp.Or(forms[t], m[t]); f != nil {
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
	fields = make([]field, 0, t.NumField())
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous:
			return nil, false
		case !f.IsExported() || tag == "-":
			continue
		case !tagged || name == "" || strings.ContainsFunc(name, odd):
			return nil, false
		case slices.ContainsFunc(fields, func(other field) bool { return other.name == name }):
			return nil, false
		}
		made := field{index: f.Index[0], name: name}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				made.omitEmpty = true
			case "omitzero":
				made.omitZero = true
			case "string":
				return nil, false
			}
		}
		if made.omitZero {
			made.saysZero = f.Type.Implements(zeroerType)
			if !made.saysZero && reflect.PointerTo(f.Type).Implements(zeroerType) || made.saysZero && f.Type.Kind() != reflect.Struct {
				return nil, false // who asks must know whether there is a value
			}
		}
		made.form = m.form(f.Type)
		fields = append(fields, made)
	}
	return fields, true
}

// zeroer is what says itself whether it is zero.
type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// odd reports whether a rune is none that every name of a field may have.
func odd(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }

// ownMethods reports whether a type or a pointer to it says itself how it is
// written.
func ownMethods(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.NumMethod() > 0 && (p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]()))
}
