package appendjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// Value appends the JSON form of v. It fails where encoding/json does; dst is
// then returned as it was.
func Value(dst []byte, v any) ([]byte, error) {
	if v == nil {
		return append(dst, "null"...), nil
	}
	out, err := formOf(reflect.TypeOf(v)).append(dst, reflect.ValueOf(v), 0)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// deepest is how many values may hold each other before encoding/json goes on:
// it knows what to do with one that holds itself.
const deepest = 1000

// append appends v, which is of the form's type and lies in depth others.
func (f *form) append(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > deepest {
		return appendOther(dst, v)
	}
	switch f.kind {
	case reflect.String:
		return String(dst, v.String()), nil
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Int:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return f.elem.append(dst, v.Elem(), depth+1)
	case reflect.Slice:
		return f.appendSlice(dst, v, depth)
	case reflect.Struct:
		return f.appendStruct(dst, v, depth)
	default:
		return appendOther(dst, v)
	}
}

func (f *form) appendSlice(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.IsNil() {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	var err error
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = f.elem.append(dst, v.Index(i), depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (f *form) appendStruct(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	sep := byte('{')
	var err error
	for i := range f.fields {
		field := &f.fields[i]
		value := v.Field(field.index)
		if field.omits(value) {
			continue
		}
		dst = append(append(append(dst, sep, '"'), field.name...), '"', ':')
		sep = ','
		if dst, err = field.form.append(dst, value, depth+1); err != nil {
			return dst, err
		}
	}
	if sep == '{' {
		dst = append(dst, '{')
	}
	return append(dst, '}'), nil
}

// omits reports whether a field with this value is left out.
func (f *field) omits(v reflect.Value) bool {
	if f.omitZero && f.zero(v) {
		return true
	}
	if !f.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return false
	default:
		return v.IsZero()
	}
}

func (f *field) zero(v reflect.Value) bool {
	if f.saysZero {
		z, ok := reflect.TypeAssert[zeroer](v)
		return ok && z.IsZero()
	}
	return v.IsZero()
}

// appendOther leaves v to encoding/json.
func appendOther(dst []byte, v reflect.Value) ([]byte, error) {
	switch {
	case v.CanAddr():
		v = v.Addr() // for methods of the pointer
	case v.Kind() == reflect.Interface: // for methods of the interface
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		v = p
	}
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.Interface()); err != nil {
		return dst, err
	}
	buf.Truncate(buf.Len() - 1) // the newline
	return buf.Bytes(), nil
}
