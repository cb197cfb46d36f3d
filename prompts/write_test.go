package prompts_test

import (
	"fmt"
	"go/format"
	"io/fs"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/prompts"
)

// views has what each template sees; the others see nothing.
var views = map[string]reflect.Type{
	"leader": reflect.TypeFor[prompts.LeaderView](),
	"worker": reflect.TypeFor[prompts.WorkerView](),
	"tools":  reflect.TypeFor[[]prompts.Tool](),
	"notes":  reflect.TypeFor[string](),
}

// templates parses the templates of a language, named without language and
// extension: leader.en.md is "leader" of "en".
func templates(t *testing.T, lang string) *template.Template {
	t.Helper()
	ending := "." + lang + ".md"
	paths, err := fs.Glob(os.DirFS("."), "*"+ending)
	if err != nil {
		t.Fatal(err)
	}
	set := template.New(lang).Option("missingkey=error").Funcs(template.FuncMap{
		"line":  func(s string) string { return strings.Join(strings.Fields(s), " ") },
		"first": func(s string) string { return strings.TrimSpace(strings.SplitN(strings.TrimSpace(s), "\n", 2)[0]) },
		"join":  strings.Join,
	})
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := set.New(strings.TrimSuffix(path, ending)).Parse(strings.TrimSpace(string(text))); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

// TestWritten holds written.go against the templates that it is made of. With
// -update it is made anew.
func TestWritten(t *testing.T) {
	g := &generator{}
	g.put("// Code generated from the Markdown files by go test ./prompts -update. DO NOT EDIT.\n")
	g.put("package prompts\n")
	g.put("import (\n\"strconv\"\n\"strings\"\n)")
	for _, lang := range langs {
		set := templates(t, lang)
		for _, name := range []string{"leader", "worker", "messages", "tools", "notes"} {
			g.function(name, lang, set.Lookup(name).Root)
		}
	}
	text, err := format.Source([]byte(g.text.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, g.text.String())
	}
	golden.Equal(t, "written.go", text)
}

// TestWrittenAsRendered renders the templates with random data, and looks for
// any difference.
func TestWrittenAsRendered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, lang := range langs {
		set := templates(t, lang)
		for range 200 {
			var l prompts.LeaderData
			fillRandom(reflect.ValueOf(&l).Elem(), random)
			l.Tools = someTools(random)
			lv, err := prompts.NewLeaderView(l)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rendered(t, set, "leader", lv), leader(t, lang, l)); diff != "" {
				t.Fatalf("leader in %s (-rendered +written):\n%s", lang, diff)
			}
			w := prompts.WorkerData{}
			fillRandom(reflect.ValueOf(&w).Elem(), random)
			w.Name, w.Tools = "X_1", someTools(random)
			wv, err := prompts.NewWorkerView(w)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rendered(t, set, "worker", wv), worker(t, lang, w)); diff != "" {
				t.Fatalf("worker in %s (-rendered +written):\n%s", lang, diff)
			}
		}
	}
}

func rendered(t *testing.T, set *template.Template, name string, view any) string {
	t.Helper()
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, view); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// someTools are any of the tools that a prompt speaks of.
func someTools(random *rand.Rand) []prompts.Tool {
	var some []prompts.Tool
	for _, tool := range tools(append(append([]string{"read_file"}, leaderTools...), workerTools[:3]...)...) {
		if random.IntN(2) == 0 {
			some = append(some, tool)
		}
	}
	return some
}

// fillRandom sets every field below v to something, or to nothing.
func fillRandom(v reflect.Value, random *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fillRandom(field, random)
		}
	case reflect.Slice:
		if n := random.IntN(4); n > 0 { // 1: empty and not nil
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
			for i := range n - 1 {
				fillRandom(v.Index(i), random)
			}
		}
	case reflect.String:
		v.SetString([]string{"", "a text", "two\n  lines ", "<&> {{.}} `", "设计"}[random.IntN(5)])
	case reflect.Int:
		v.SetInt(int64(random.IntN(3)))
	default:
		panic("nothing for " + v.Kind().String())
	}
}

// generator writes a Go function for each template.
type generator struct {
	text strings.Builder
	lang string
	vars int // variables of the function so far
}

func (g *generator) put(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

// funcName is the name of the function of a template.
func funcName(template, lang string) string { return template + strings.ToUpper(lang) }

func (g *generator) function(name, lang string, body *parse.ListNode) {
	g.lang, g.vars = lang, 0
	view := views[name]
	param := ""
	if view != nil {
		param = ", d " + strings.ReplaceAll(view.String(), "prompts.", "")
	}
	g.put("\nfunc %s(b *strings.Builder%s) {", funcName(name, lang), param)
	g.list(body, value{"d", view})
	g.put("}")
}

// value is an expression and its type.
type value struct {
	expr string
	typ  reflect.Type
}

// holds is the condition under which a template takes the value for true.
func (v value) holds() string {
	switch v.typ.Kind() {
	case reflect.String:
		return v.expr + ` != ""`
	case reflect.Slice:
		return "len(" + v.expr + ") > 0"
	case reflect.Int:
		return v.expr + " != 0"
	case reflect.Bool:
		return v.expr
	default:
		panic("no condition for " + v.typ.String())
	}
}

// shown is the expression of its text.
func (v value) shown() string {
	switch v.typ.Kind() {
	case reflect.String:
		return v.expr
	case reflect.Int:
		return "strconv.Itoa(" + v.expr + ")"
	default:
		panic("no text for " + v.typ.String())
	}
}

func (g *generator) list(list *parse.ListNode, dot value) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			g.put("b.WriteString(%q)", n.Text)
		case *parse.ActionNode:
			g.put("b.WriteString(%s)", g.pipe(n.Pipe, dot).shown())
		case *parse.IfNode:
			g.put("if %s {", g.pipe(n.Pipe, dot).holds())
			g.branches(&n.BranchNode, dot, dot)
		case *parse.WithNode:
			g.with(n, dot)
		case *parse.RangeNode:
			list := g.pipe(n.Pipe, dot)
			item := value{g.newVar(), list.typ.Elem()}
			g.put("for _, %s := range %s {", item.expr, list.expr)
			g.list(n.List, item)
			g.put("}")
		case *parse.TemplateNode:
			arg := ""
			if n.Pipe != nil {
				arg = ", " + g.pipe(n.Pipe, dot).expr
			}
			g.put("%s(b%s)", funcName(n.Name, g.lang), arg)
		default:
			panic(fmt.Sprintf("no code for %T %s", n, n))
		}
	}
}

// branches writes what follows the opening brace of a condition.
func (g *generator) branches(n *parse.BranchNode, dot, elseDot value) {
	g.list(n.List, dot)
	if n.ElseList != nil {
		g.put("} else {")
		g.list(n.ElseList, elseDot)
	}
	g.put("}")
}

func (g *generator) with(n *parse.WithNode, dot value) {
	v := g.pipe(n.Pipe, dot)
	in := value{g.newVar(), v.typ}
	if v.typ.Kind() == reflect.Struct { // always true
		g.put("{\n%s := %s", in.expr, v.expr)
	} else {
		g.put("if %s := %s; %s {", in.expr, v.expr, in.holds())
	}
	g.branches(&n.BranchNode, in, dot)
}

func (g *generator) newVar() string {
	g.vars++
	return "v" + strconv.Itoa(g.vars)
}

func (g *generator) pipe(p *parse.PipeNode, dot value) value {
	if len(p.Cmds) != 1 || len(p.Decl) > 0 {
		panic("no code for the pipe " + p.String())
	}
	args := p.Cmds[0].Args
	if id, ok := args[0].(*parse.IdentifierNode); ok {
		return g.call(id.Ident, args[1:], dot)
	}
	return g.arg(args[0], dot, args[1:]...)
}

// arg is one value; rest are the arguments when it is a method.
func (g *generator) arg(n parse.Node, dot value, rest ...parse.Node) value {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.StringNode:
		return value{n.Quoted, reflect.TypeFor[string]()}
	case *parse.PipeNode:
		v := g.pipe(n, dot)
		return value{"(" + v.expr + ")", v.typ}
	case *parse.FieldNode:
		name := n.Ident[0]
		if field, ok := dot.typ.FieldByName(name); ok && len(n.Ident) == 1 {
			return value{dot.expr + "." + name, field.Type}
		}
		method, ok := dot.typ.MethodByName(name)
		if !ok {
			panic(n.String() + " is no field and no method of " + dot.typ.String())
		}
		var texts []string
		for _, a := range rest {
			texts = append(texts, g.arg(a, dot).expr)
		}
		return value{dot.expr + "." + name + "(" + strings.Join(texts, ", ") + ")", method.Type.Out(0)}
	default:
		panic(fmt.Sprintf("no code for %T %s", n, n))
	}
}

// call is the value of a function.
func (g *generator) call(name string, nodes []parse.Node, dot value) value {
	var texts, conditions []string
	for _, n := range nodes {
		v := g.arg(n, dot)
		texts = append(texts, v.expr)
		if name == "and" || name == "or" || name == "not" {
			conditions = append(conditions, v.holds())
		}
	}
	yes := func(expr string) value { return value{expr, reflect.TypeFor[bool]()} }
	switch name {
	case "and":
		return yes(strings.Join(conditions, " && "))
	case "or":
		return yes(strings.Join(conditions, " || "))
	case "not":
		return yes("!(" + conditions[0] + ")")
	case "ne":
		return yes(texts[0] + " != " + texts[1])
	case "join":
		name = "strings.Join"
	}
	return value{name + "(" + strings.Join(texts, ", ") + ")", reflect.TypeFor[string]()}
}
