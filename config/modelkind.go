package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// params reads the parameters and puts in what was given from outside.
func params() kind[map[string]Param] {
	k := named(func(r *reader, v value, e entry) bool {
		if isIdentifier(e.key) {
			return true
		}
		e.node.src.add(Problem{Path: v.path, Message: fmt.Sprintf("%s is no name of a parameter", quoteShort(e.key)), Hint: "use letters, digits, - and _"}, e.at, false)
		return false
	}, object(paramTable()))
	read := k.read
	k.read = func(r *reader, v value) (map[string]Param, bool) {
		out, ok := read(r, v)
		for name, given := range r.known.Params {
			if p, defined := out[name]; defined {
				p.Value, p.Set = given, true
				out[name] = p
			}
		}
		r.params = out
		return out, ok
	}
	return k
}

// readDefault reads the default of a parameter; a number is taken as text.
func readDefault(r *reader, v value, to *Param) {
	if v.kind == listNode || v.kind == mappingNode {
		r.wrong(v, "text", "")
		return
	}
	if s, ok := r.expand(v, v.raw, variablesOnly); ok {
		to.Value, to.Set = s, true
	}
}

// checkParams reports parameters that were given from outside and that the
// file does not have.
func (r *reader) checkParams(src *source, at position) {
	for _, name := range keysOf(r.known.Params) {
		if _, ok := r.params[name]; ok || r.partial {
			continue
		}
		hint := didYouMean(name, keysOf(r.params))
		if hint == "" {
			hint = "define it under params:"
		}
		src.add(Problem{Path: "params", Message: fmt.Sprintf("there is no parameter %s to set", quoteShort(name)), Hint: hint}, at, false)
	}
}

// modelRef names a model; it is checked when all models are known.
func modelRef() kind[string] {
	k := text()
	k.want = "a name under models, or provider/model"
	k.read = func(r *reader, v value) (string, bool) {
		if v.kind == mappingNode {
			r.wrong(v, k.want, "define the model under models: and write its name here")
			return "", false
		}
		s, ok := r.text(v, k.want)
		if !ok {
			return "", false
		}
		s, ok = r.expand(v, s, everything)
		if !ok {
			return "", false
		}
		r.after(func() {
			if message, hint := r.modelFault(s, v.raw); message != "" {
				r.missing(v, v.path+": "+message, hint)
			}
		})
		return s, true
	}
	return k
}

// modelFault says what is wrong with a reference to a model, empty if nothing;
// written is the reference as it stands in the file.
func (r *reader) modelFault(ref, written string) (message, hint string) {
	if r.models[ref] || r.aliases[ref] {
		return "", ""
	}
	provider, model, qualified := strings.Cut(ref, "/")
	switch {
	case !qualified:
		return "unknown model " + quoteShort(written), r.hint(func() string {
			return cmp.Or(didYouMean(ref, slices.Concat(keysOf(r.models), keysOf(r.aliases))), "define it under models:, or write provider/model")
		})
	case !r.provider(provider):
		return fmt.Sprintf("unknown provider in %s", quoteShort(written)), suggest(provider, "providers", r.known.Providers)
	case model == "":
		return fmt.Sprintf("no model is named in %s", quoteShort(written)), "write provider/model"
	case r.known.Models != nil:
		if err := r.known.Models(ref); err != nil && ref == written {
			return clean([]rune(maskSecrets(err.Error()))), ""
		} else if err != nil {
			return fmt.Sprintf("unknown model %s", quoteShort(written)), ""
		}
	}
	return "", ""
}

// models reads the models and learns their names.
func models() kind[map[string]Model] {
	k := named(func(r *reader, v value, e entry) bool {
		if strings.Contains(e.key, "/") || strings.TrimSpace(e.key) == "" {
			e.node.src.add(Problem{Path: v.path, Message: fmt.Sprintf("%s is no name of a model", quoteShort(e.key)), Hint: "a name has no /, so that it differs from provider/model"}, e.at, false)
			return false
		}
		r.models[e.key] = true
		return true
	}, object(modelTable()))
	read := k.read
	k.read = func(r *reader, v value) (map[string]Model, bool) {
		out, ok := read(r, v)
		r.after(func() { r.checkFallbacks(v, out) })
		return out, ok
	}
	return k
}

// modelAliases reads foreign names of models and learns them.
func modelAliases() kind[map[string]string] {
	k := named(func(r *reader, _ value, e entry) bool {
		r.aliases[e.key] = true
		return true
	}, modelRef())
	read := k.read
	k.read = func(r *reader, v value) (map[string]string, bool) {
		out, ok := read(r, v)
		r.targets = out
		return out, ok
	}
	return k
}

// provider is one of the known providers.
func provider() kind[string] {
	k := text()
	read := k.read
	k.read = func(r *reader, v value) (string, bool) {
		s, ok := read(r, v)
		if ok && !r.provider(s) {
			r.problem(v, fmt.Sprintf("%s: unknown provider %s", v.path, quoteShort(v.raw)), suggest(v.raw, "providers", r.known.Providers))
			return "", false
		}
		return s, ok
	}
	return k
}

// keyVariable is the name of a variable that holds a key. What is written
// there by mistake may be the key itself and is never shown.
func keyVariable() kind[string] {
	want := "the name of a variable, such as HOUSE_KEY"
	return kind[string]{want: want, schema: schema{"type": "string", "pattern": variableName().String()}, read: func(r *reader, v value) (string, bool) {
		inner, isRef := strings.CutPrefix(v.raw, "${")
		inner = strings.TrimSuffix(inner, "}")
		switch {
		case v.kind != textNode:
			r.secret(v, v.path+": wanted "+want, "")
		case isRef && variableName().MatchString(inner):
			r.problem(v, v.path+": found a reference, wanted "+want, "write the name alone: "+inner)
		case !variableName().MatchString(v.raw) || looksLikeKey(v.raw):
			r.secret(v, v.path+": this looks like a key; wanted "+want, "keys never stand in the team file: put the key into a variable and write the variable's name here")
		default:
			return v.raw, true
		}
		return "", false
	}}
}

// extra is what is put into a request body.
func extra() kind[map[string]any] {
	return kind[map[string]any]{want: "a mapping", schema: schema{"type": "object"}, read: func(r *reader, v value) (map[string]any, bool) {
		if v.kind != mappingNode {
			r.wrong(v, "a mapping", "")
			return nil, false
		}
		body, ok := r.anything(v)
		out, isMap := body.(map[string]any)
		return out, ok && isMap
	}}
}
