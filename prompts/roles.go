package prompts

import (
	"embed"
	"slices"
	"strings"
)

//go:embed roles/*.md
var rolePrompts embed.FS

// builtin is a built-in role; its prompt is the file roles/ID.LANG.md.
type builtin struct {
	id, name string
	zh, en   string // what it does
	tools    []string
}

var builtins = []builtin{
	{
		id: "uio", name: "UI Operator",
		zh:    "设计界面、配色、页面结构和交互文案，并写出页面文件。",
		en:    "Designs interfaces, colours, page structure and wording, and writes the page files.",
		tools: writing,
	},
	{
		id: "fse", name: "Full-Stack Engineer",
		zh:    "设计接口和数据结构，编写并修改前后端代码。",
		en:    "Designs interfaces between programs and data, writes and changes front-end and back-end code.",
		tools: writing,
	},
	{
		id: "cr", name: "Code Reviewer",
		zh: "审查代码和设计，指出错误、风险和遗漏，不改文件。",
		en: "Reviews code and designs for errors, risks and gaps; changes no file.",
	},
	{
		id: "res", name: "Researcher",
		zh:    "在资料和代码中查找事实，核对来源，写成有出处的结论。",
		en:    "Finds facts in documents and code, checks them, and writes conclusions with their sources.",
		tools: []string{"read_file", "list_dir", "search_files", "write_file"},
	},
	{
		id: "qae", name: "QA Engineer",
		zh:    "制定测试方案，编写测试，核对成果是否符合要求。",
		en:    "Plans and writes tests, and checks whether results meet the requirements.",
		tools: writing,
	},
}

// writing is the tool set of roles that change files.
var writing = []string{"read_file", "list_dir", "search_files", "write_file", "edit_file"}

// BuiltinRoles returns the roles that need no team file: UI Operator,
// Full-Stack Engineer, Code Reviewer, Researcher and QA Engineer. Names are
// English in every language, because they are part of message texts; what a
// role does and its prompt are Chinese for "zh" and English for all else.
func BuiltinRoles(lang string) []Role {
	roles := make([]Role, 0, len(builtins))
	for _, b := range builtins {
		does, file := b.en, "roles/"+b.id+".en.md"
		if lang == "zh" {
			does, file = b.zh, "roles/"+b.id+".zh.md"
		}
		prompt, err := rolePrompts.ReadFile(file)
		if err != nil {
			panic("prompts: " + err.Error()) // embedded: only a missing file at build time
		}
		roles = append(roles, Role{
			ID:     b.id,
			Name:   b.name,
			Does:   does,
			Code:   b.id,
			Prompt: strings.TrimSpace(string(prompt)),
			Tools:  slices.Clone(b.tools),
		})
	}
	return roles
}
