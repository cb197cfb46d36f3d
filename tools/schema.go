package tools

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// parameters are the arguments of one tool: what the model is told of them
// and what a call is checked against.
type parameters struct {
	tool      string
	lang      lang
	root      *jsonschema.Schema
	list      []*parameter // in the order of the fields
	signature string       // for example "read_file(path: string, limit?: integer)"
	about     string       // the argument that calls are about; may be empty
}

// parameter is one argument.
type parameter struct {
	name     string
	schema   *jsonschema.Schema
	resolve  func() (*jsonschema.Resolved, error) // at the first use, once: most tools are never called
	required bool
	nonBlank bool
	anyText  bool // the schema takes every string
}

// newParameters infers the arguments from a struct type.
func newParameters(tool string, in reflect.Type, s settings) (*parameters, error) {
	root, err := inferSchema(in)
	if err != nil {
		return nil, err
	}
	if err := refine(root, s); err != nil {
		return nil, err
	}
	p := &parameters{tool: tool, lang: s.lang, root: root}
	for _, name := range root.PropertyOrder {
		schema := root.Properties[name]
		resolve := sync.OnceValues(func() (*jsonschema.Resolved, error) { return schema.CloneSchemas().Resolve(nil) })
		if !scalar(schema) {
			if _, err := resolve(); err != nil {
				return nil, fmt.Errorf("the schema of argument %q: %w", name, err)
			}
		}
		p.list = append(p.list, &parameter{
			name:     name,
			schema:   schema,
			resolve:  resolve,
			required: slices.Contains(root.Required, name),
			nonBlank: s.nonBlank[name],
			anyText:  reflect.DeepEqual(schema, &jsonschema.Schema{Type: "string", Description: schema.Description}),
		})
	}
	p.signature = signature(tool, p.list)
	return p, p.checkAbout(s.spec.Subject, s.about)
}

// schema is what a model is told of the arguments. It panics, as [Func] does,
// when that has no JSON form.
func (p *parameters) schema() json.RawMessage {
	text, err := appendSchema(nil, p.root)
	if err != nil {
		panic(fmt.Sprintf("tools: %s: the schema cannot be written: %v", p.tool, err))
	}
	return text
}

// scalar reports whether a schema is of one plain value, so that nothing in it
// can fail to resolve.
func scalar(s *jsonschema.Schema) bool {
	switch s.Type {
	case "string", "integer", "number", "boolean":
		return s.Ref == "" && s.Pattern == ""
	}
	return false
}

// find returns the parameter of the name, or nil.
func (p *parameters) find(name string) *parameter {
	for _, param := range p.list {
		if param.name == name {
			return param
		}
	}
	return nil
}

// inferSchema makes the schema of a struct type: an object with properties
// and without nullable types, which several endpoints refuse.
func inferSchema(in reflect.Type) (*jsonschema.Schema, error) {
	if in.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments must be a struct, not %v", in)
	}
	special := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[json.Number]():     {Type: "number"},
	}
	if err := checkType(in, special, map[reflect.Type]bool{}); err != nil {
		return nil, err
	}
	root, err := jsonschema.ForType(in, &jsonschema.ForOptions{TypeSchemas: special})
	if err != nil {
		return nil, err
	}
	if root.Type != "object" {
		return nil, fmt.Errorf("arguments must be a struct with fields, %v has another JSON form", in)
	}
	if root.Properties == nil {
		root.Properties = map[string]*jsonschema.Schema{}
	}
	dropNull(root)
	return root, nil
}

// checkType refuses types whose JSON form differs from the inferred schema,
// and notes in special the types that are written as text.
func checkType(t reflect.Type, special map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) error {
	if seen[t] || special[t] != nil {
		return nil
	}
	seen[t] = true
	pointer := reflect.PointerTo(t)
	switch {
	case pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		special[t] = &jsonschema.Schema{Type: "string"}
		return nil
	case t.Kind() != reflect.Pointer && pointer.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return fmt.Errorf("type %v reads a JSON form of its own, which no schema tells of", t)
	}
	switch t.Kind() {
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("type %v is an interface with methods", t)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return checkType(t.Elem(), special, seen)
	case reflect.Struct:
		for field := range t.Fields() {
			if err := checkField(t, field, special, seen); err != nil {
				return err
			}
		}
	default: // plain, or what the schema's inference refuses
	}
	return nil
}

// checkField refuses fields that the inferred schema would tell wrong.
func checkField(t reflect.Type, field reflect.StructField, special map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) error {
	tag := field.Tag.Get("json")
	if tag == "-" || (!field.IsExported() && !field.Anonymous) {
		return nil
	}
	name, options, _ := strings.Cut(tag, ",")
	switch {
	case slices.Contains(strings.Split(options, ","), "string"):
		return fmt.Errorf("field %v.%s: the json option \"string\" is not supported", t, field.Name)
	case field.Anonymous && name != "":
		return fmt.Errorf("field %v.%s: an embedded field cannot be renamed", t, field.Name)
	}
	return checkType(field.Type, special, seen)
}

// dropNull makes nullable types plain, in the schema and all below it.
func dropNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if rest := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(rest) == 1 {
		s.Type, s.Types = rest[0], nil
	}
	dropNull(s.Items)
	if s.Type == "object" {
		dropNull(s.AdditionalProperties)
	}
	for property := range maps.Values(s.Properties) {
		dropNull(property)
	}
}

// refine puts descriptions and enums into the schema.
func refine(root *jsonschema.Schema, s settings) error {
	for name, text := range s.descriptions {
		property := root.Properties[name]
		if property == nil {
			return fmt.Errorf("a description names %q, which is no argument", name)
		}
		property.Description = text
	}
	for name, values := range s.enums {
		property := root.Properties[name]
		if property == nil || property.Type != "string" || len(values) == 0 {
			return fmt.Errorf("an enum needs a string argument and values, %q is or has none", name)
		}
		for _, value := range values {
			property.Enum = append(property.Enum, value)
		}
	}
	for name := range s.nonBlank {
		if property := root.Properties[name]; property == nil || property.Type != "string" {
			return fmt.Errorf("%q is no string argument that could be blank", name)
		}
	}
	return nil
}

// errSchema is why [checkSchema] refuses.
var errSchema = errors.New("the schema is not a JSON object of type object with properties")

// checkSchema refuses schemas that endpoints refuse.
func checkSchema(schema json.RawMessage) error {
	var form struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &form); err != nil || form.Type != "object" || form.Properties == nil {
		return errSchema
	}
	return nil
}

// signature shows how the tool is called.
func signature(tool string, list []*parameter) string {
	var b strings.Builder
	b.WriteString(tool + "(")
	for i, param := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(param.name)
		if !param.required {
			b.WriteString("?")
		}
		b.WriteString(": " + typeName(param.schema))
	}
	return b.String() + ")"
}

// typeName names the values that a schema takes.
func typeName(s *jsonschema.Schema) string {
	switch {
	case len(s.Enum) > 0:
		values := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			values[i] = fmt.Sprintf("%q", value)
		}
		return strings.Join(values, "|")
	case s.Type == "array" && s.Items != nil:
		return "[" + typeName(s.Items) + "]"
	case s.Type == "":
		return "any"
	}
	return s.Type
}
