package envelope

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	yaml "github.com/goccy/go-yaml"
)

// maxMapping is the size of the largest mapping file, in bytes.
const maxMapping = 64 << 10

// mapping is a mapping file.
type mapping struct {
	Dialect  string            `yaml:"dialect"`  // the name
	Fields   map[string]string `yaml:"fields"`   // path in the envelope: path in the dialect
	Defaults map[string]string `yaml:"defaults"` // field of the envelope: what it is where the dialect has none
	Types    map[string]string `yaml:"types"`    // the dialect's word for a type: the envelope's
}

// pair is one field in both forms, as paths.
type pair struct{ ours, theirs []string }

// Native is the name of the dialect that is the envelope itself.
const Native = "envelope"

//go:embed dialects/*.yaml
var dialectFiles embed.FS

// BuiltIn lists the dialects that are there without a mapping file, sorted by
// name: [Native] and those of the folder dialects.
func BuiltIn() ([]Dialect, error) {
	all := []Dialect{{name: Native}}
	files, err := dialectFiles.ReadDir("dialects")
	if err != nil {
		return nil, fmt.Errorf("envelope: dialects: %w", err)
	}
	for _, f := range files {
		text, err := dialectFiles.ReadFile("dialects/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("envelope: dialects: %w", err)
		}
		d, err := ParseDialect(text)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Dialect) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// ParseDialect reads a mapping file (docs/envelope.md). An unknown key, a field
// that the envelope does not have, and two fields in one place are errors.
func ParseDialect(text []byte) (Dialect, error) {
	if len(text) > maxMapping {
		return Dialect{}, fmt.Errorf("envelope: mapping: larger than %d KiB", maxMapping>>10)
	}
	var m mapping
	if err := yaml.UnmarshalWithOptions(text, &m, yaml.Strict()); err != nil {
		return Dialect{}, fmt.Errorf("envelope: mapping: %s", yaml.FormatError(err, false, false))
	}
	d, err := m.dialect()
	if err != nil {
		return Dialect{}, fmt.Errorf("envelope: mapping %q: %w", m.Dialect, err)
	}
	return d, nil
}

var dialectName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// dialect checks the mapping.
func (m mapping) dialect() (Dialect, error) {
	d := Dialect{name: m.Dialect, defaults: m.Defaults, types: m.Types}
	switch {
	case !dialectName.MatchString(m.Dialect) || m.Dialect == Native:
		return d, errors.New("dialect: a name of small letters, digits and hyphens is wanted, other than " + Native)
	case len(m.Fields) == 0:
		return d, errors.New("fields: the dialect has none")
	}
	for _, ours := range slices.Sorted(maps.Keys(m.Fields)) {
		p := pair{strings.Split(ours, "."), strings.Split(m.Fields[ours], ".")}
		if slices.Contains(p.ours, "") || slices.Contains(p.theirs, "") {
			return d, fmt.Errorf("fields: %s: %s: a name is empty", ours, m.Fields[ours])
		}
		if err := p.check(d.pairs); err != nil {
			return d, err
		}
		d.pairs = append(d.pairs, p)
	}
	return d, errors.Join(m.checkDefaults(d), m.checkTypes())
}

// check holds a pair against the fields of the envelope and the pairs before.
func (p pair) check(before []pair) error {
	ours, theirs := strings.Join(p.ours, "."), strings.Join(p.theirs, ".")
	top := p.ours[0]
	if !slices.Contains(fieldNames, top) || len(p.ours) > 1 && top != fieldPayload && top != fieldMetadata {
		return fmt.Errorf("fields: the envelope has no %s", ours)
	}
	for _, b := range before {
		if overlap(b.ours, p.ours) {
			return fmt.Errorf("fields: %s and %s overlap", strings.Join(b.ours, "."), ours)
		}
		if overlap(b.theirs, p.theirs) {
			return fmt.Errorf("fields: %s and %s overlap in the dialect", strings.Join(b.theirs, "."), theirs)
		}
	}
	return nil
}

// overlap reports whether one path leads to or into the other.
func overlap(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// checkDefaults refuses defaults that no text can be, and fields that come from
// nowhere.
func (m mapping) checkDefaults(d Dialect) error {
	for _, name := range slices.Sorted(maps.Keys(m.Defaults)) {
		switch {
		case name == fieldSender || name == fieldReceiver:
		case name == fieldType && slices.Contains(Types(), Type(m.Defaults[name])):
		default:
			return fmt.Errorf("defaults: %s: %s: only sender, receiver and type (task, tool_call or result) can have one", name, m.Defaults[name])
		}
	}
	for _, name := range [...]string{fieldSender, fieldReceiver, fieldType, fieldPayload} {
		if _, ok := m.Defaults[name]; !ok && !d.maps(name) {
			return fmt.Errorf("%s has neither a field nor a default", name)
		}
	}
	return nil
}

// checkTypes refuses words for unknown types, and two words for one.
func (m mapping) checkTypes() error {
	words := map[string]string{}
	for _, word := range slices.Sorted(maps.Keys(m.Types)) {
		typ := m.Types[word]
		if !slices.Contains(Types(), Type(typ)) {
			return fmt.Errorf("types: %s: %s is none of task, tool_call, result", word, typ)
		}
		if other, twice := words[typ]; twice {
			return fmt.Errorf("types: %s and %s are both %s", other, word, typ)
		}
		words[typ] = word
	}
	return nil
}
