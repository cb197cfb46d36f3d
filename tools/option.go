package tools

// Option changes what [Func] and [FuncCall] build. An [Effect] is one:
//
//	tools.Func("price", "Look up a price", lookUp, tools.Pure)
type Option interface {
	apply(*settings)
}

// settings collect the options of one function.
type settings struct {
	spec         Spec
	lang         lang
	enums        map[string][]string
	descriptions map[string]string
	texts        func() []argumentText // more descriptions; may be nil
	nonBlank     map[string]bool
	about        string // the argument that calls are about
}

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

func (e Effect) apply(s *settings) { s.spec.Effect = e }

// Exclusive sets [Spec.Exclusive].
func Exclusive() Option {
	return optionFunc(func(s *settings) { s.spec.Exclusive = true })
}

// Ordered sets [Spec.Ordered].
func Ordered() Option {
	return optionFunc(func(s *settings) { s.spec.Ordered = true })
}

// Waits sets [Spec.Waits].
func Waits() Option {
	return optionFunc(func(s *settings) { s.spec.Waits = true })
}

// Writes sets [Spec.Writes].
func Writes() Option {
	return optionFunc(func(s *settings) { s.spec.Writes = true })
}

// answers sets [Spec.Answers].
func answers() Option {
	return optionFunc(func(s *settings) { s.spec.Answers = true })
}

// Enum allows only the values for a string argument. An optional argument
// may still be left out, be null or be empty, which all mean the same.
func Enum(argument string, values ...string) Option {
	return optionFunc(func(s *settings) {
		if s.enums == nil {
			s.enums = map[string][]string{}
		}
		s.enums[argument] = values
	})
}

// Describe sets the description of an argument, for a type whose fields have
// no jsonschema tag; it takes precedence over the tag.
func Describe(argument, text string) Option {
	return optionFunc(func(s *settings) {
		if s.descriptions == nil {
			s.descriptions = map[string]string{}
		}
		s.descriptions[argument] = text
	})
}

// NonBlank refuses values of the string arguments that are empty or nothing
// but white space.
func NonBlank(arguments ...string) Option {
	return optionFunc(func(s *settings) {
		if s.nonBlank == nil {
			s.nonBlank = map[string]bool{}
		}
		for _, argument := range arguments {
			s.nonBlank[argument] = true
		}
	})
}

// Lang sets the language in which wrong arguments are explained: "zh" is
// Chinese, anything else English.
func Lang(code string) Option {
	return optionFunc(func(s *settings) { s.lang = lang(code) })
}
