package archtest_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row is what one package may import beside the standard library.
type row struct {
	floor  int
	ours   []string // packages of the project
	others []string // modules, or packages of them, with all below
	tests  []string // both, for the package's tests alone
}

const (
	backoff      = "github.com/cenkalti/backoff/v5"
	bubbletea    = "charm.land/bubbletea/v2"
	cobra        = "github.com/spf13/cobra"
	displaywidth = "github.com/clipperhouse/displaywidth"
	etree        = "github.com/beevik/etree"
	fsm          = "github.com/looplab/fsm"
	goCmp        = "github.com/google/go-cmp"
	godotenv     = "github.com/joho/godotenv"
	goldmark     = "github.com/yuin/goldmark"
	goleak       = "go.uber.org/goleak"
	goOpenAI     = "github.com/sashabaranov/go-openai"
	goUdiff      = "github.com/aymanbagabas/go-udiff"
	goYAML       = "github.com/goccy/go-yaml"
	jsonschema   = "github.com/google/jsonschema-go"
	lipgloss     = "charm.land/lipgloss/v2"
	mcp          = "github.com/modelcontextprotocol/go-sdk"
	miniredis    = "github.com/alicebob/miniredis/v2"
	pty          = "github.com/creack/pty"
	rapid        = "pgregory.net/rapid"
	redis        = "github.com/redis/go-redis/v9"
	term         = "golang.org/x/term"
	testscript   = "github.com/rogpeppe/go-internal/testscript"
	text         = "golang.org/x/text"
	uax29        = "github.com/clipperhouse/uax29/v2"
	ulid         = "github.com/oklog/ulid/v2"
	websocket    = "github.com/coder/websocket"
	xtime        = "golang.org/x/time"
	zerolog      = "github.com/rs/zerolog"
)

// floors is the house: a package knows only what its row names. Rows may be
// ahead of the packages; a package without a row is a fault.
var floors = map[string]row{
	"event":   {floor: 0, ours: []string{"internal/appendjson"}},
	"prompts": {floor: 0},
	"config":  {floor: 0, ours: []string{"internal/nearest"}, others: []string{goYAML, text}, tests: []string{jsonschema}},

	"mailbox":    {floor: 1, ours: []string{"event"}, others: []string{etree, text}},
	"transcript": {floor: 1, ours: []string{"event", "internal/appendjson"}},
	// The scripted survey reads what the tools of the workspace print, so its
	// tests run the real ones.
	"model": {
		floor: 1, ours: []string{"event", "internal/appendjson", "internal/nearest", "model/internal/repair"}, others: []string{goOpenAI, backoff, xtime},
		tests: []string{"tools"},
	},
	"tools":     {floor: 1, ours: []string{"event", "internal/appendjson", "internal/nearest"}, others: []string{jsonschema}},
	"tools/mcp": {floor: 1, ours: []string{"event", "tools"}, others: []string{jsonschema, mcp}},
	"render":    {floor: 1, ours: []string{"event"}, others: []string{displaywidth, uax29}},

	"agent": {floor: 2, ours: []string{"event", "internal/machine", "mailbox", "model", "tools"}, others: []string{zerolog}},

	"subagent": {floor: 3, ours: []string{"agent", "event", "mailbox", "model", "prompts", "tools"}, others: []string{zerolog}},

	"leader": {floor: 4, ours: []string{
		"agent", "config", "event", "internal/appendjson", "mailbox", "model", "prompts", "render", "subagent", "tools", "transcript",
	}, others: []string{ulid, zerolog}},

	"replay": {floor: 5, ours: []string{
		"agent", "config", "event", "leader", "mailbox", "model", "prompts", "render", "subagent", "tools", "transcript",
	}, others: []string{goUdiff}},
	"replay/foreign": {floor: 5, ours: []string{"event"}},
	"session": {
		floor: 5, ours: []string{"event", "leader", "transcript"}, others: []string{zerolog},
		tests: []string{"gateway", "gateway/gatewaytest"}, // the port that it satisfies
	},
	"gateway": {floor: 5, ours: []string{"event", "render"}, others: []string{zerolog}},
	"gateway/gatewaytest": {
		floor: 5, ours: []string{"event", "gateway", "model", "model/modeltest", "tools"}, others: []string{goCmp},
	},
	"gateway/client": {
		floor: 5, ours: []string{"event", "gateway", "internal/appendjson"}, others: []string{websocket},
		tests: []string{"session", zerolog}, // its tests play whole conversations
	},
	// Files map the names of other frameworks, and the line before a message of
	// an unknown version is the runtime's word to an agent.
	"gateway/envelope": {
		floor: 5, ours: []string{"event", "gateway", "internal/appendjson", "prompts", "render"}, others: []string{goYAML, zerolog},
		tests: []string{"session", jsonschema}, // what is behind the door, and messages held against the schema
	},
	"gateway/streams": {
		floor: 5, ours: []string{"event", "gateway", "internal/appendjson", "internal/machine", "render"}, others: []string{redis, zerolog},
		tests: []string{"replay", "session"}, // workers and roles with real teams
	},
	"gateway/studio": {
		floor: 5, ours: []string{"event", "gateway", "internal/appendjson", "render"}, others: []string{websocket, zerolog},
		tests: []string{"session", jsonschema}, // real sessions, and messages held against the schema
	},
	"gateway/web": {floor: 5, ours: []string{"event", "gateway", "render"}, others: []string{goldmark, zerolog}},

	"cmd/troupe": {floor: 6, ours: []string{
		"agent", "config", "event", "gateway", "gateway/client", "gateway/envelope", "gateway/streams", "gateway/studio",
		"gateway/web", "internal/nearest", "leader", "mailbox", "model", "prompts", "render", "replay", "replay/foreign", "session", "subagent", "tools",
		"tools/mcp", "transcript",
	}, others: []string{bubbletea, cobra, godotenv, lipgloss, term, websocket, zerolog}}, // websocket: dial shows protocols as they are

	"internal/appendjson":   {floor: 0},
	"internal/machine":      {floor: 0, others: []string{fsm}},
	"model/internal/repair": {floor: 0, ours: []string{"internal/appendjson"}},

	"model/modeltest":   {floor: 1, ours: []string{"event", "model"}, others: []string{goCmp}},
	"internal/archtest": {floor: 6},
	"internal/docs":     {floor: 6},
	"internal/freeport": {floor: 0},
	"internal/golden":   {floor: 0, others: []string{goCmp}},
	"internal/nearest":  {floor: 0},
}

// What a test may use beyond its package's row: the packages of all floors
// below, the package itself, and the following.
var (
	testOurs   = []string{"internal/freeport", "internal/golden", "model/modeltest"}
	testOthers = []string{goCmp, goleak, miniredis, pty, rapid, testscript}
)

func TestFloors(t *testing.T) { keep(t, floorFaults) }

// floorFaults finds packages without a row and imports that no row allows.
func floorFaults(tr tree) (faults []string) {
	dirs, files := tr.packages()
	for _, dir := range dirs {
		r, ok := floors[dir]
		if !ok {
			faults = append(faults, dir+": the package has no row in the table of floors")
			continue
		}
		for _, f := range files[dir] {
			for _, spec := range f.syntax.Imports {
				if name := importPath(spec); !r.allows(dir, name, f.isTest()) {
					faults = append(faults, fmt.Sprintf("%s: %s may not import %s", tr.at(spec), dir, name))
				}
			}
		}
	}
	return faults
}

// allows reports whether a file of the package dir may import name.
func (r row) allows(dir, name string, inTest bool) bool {
	if ours, ok := cutModule(name); ok {
		if slices.Contains(r.ours, ours) || inTest && slices.Contains(r.tests, ours) {
			return true
		}
		below, known := floors[ours]
		return inTest && (ours == dir || known && below.floor < r.floor || slices.Contains(testOurs, ours))
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	others := r.others
	if inTest {
		others = slices.Concat(others, r.tests, testOthers)
	}
	return slices.ContainsFunc(others, func(module string) bool { return within(name, module) })
}

func TestFloorsSeeFaults(t *testing.T) {
	const head = "package x\nimport "
	see(t, floorFaults, []sighted{
		{
			name: "allowed",
			files: map[string]string{
				"mailbox/a.go":              head + `("errors"; "github.com/troupe-go/troupe/event"; "golang.org/x/text/unicode/norm")`,
				"mailbox/a_test.go":         head + `("github.com/google/go-cmp/cmp"; "github.com/troupe-go/troupe/mailbox")`,
				"config/a_test.go":          head + `"github.com/google/jsonschema-go/jsonschema"`,
				"model/a_test.go":           head + `"github.com/troupe-go/troupe/tools"`,
				"agent/a_test.go":           head + `("github.com/troupe-go/troupe/transcript"; "github.com/troupe-go/troupe/model/modeltest")`,
				"mailbox/testdata/a/any.go": head + `"example.com/any"`,
				"bench/go.mod":              "module bench",
				"bench/main.go":             head + `"example.com/any"`,
			},
		},
		{
			name:  "unknown package",
			files: map[string]string{"kitchen/a.go": "package kitchen"},
			want:  []string{"kitchen: the package has no row in the table of floors"},
		},
		{
			name:  "higher floor, in production and in a test",
			files: map[string]string{"event/a.go": head + `"github.com/troupe-go/troupe/leader"`, "tools/a_test.go": head + `"github.com/troupe-go/troupe/leader"`},
			want: []string{
				"event/a.go:2: event may not import github.com/troupe-go/troupe/leader",
				"tools/a_test.go:2: tools may not import github.com/troupe-go/troupe/leader",
			},
		},
		{
			name: "same floor, and one that is for tests alone",
			files: map[string]string{
				"model/a.go": head + `"github.com/troupe-go/troupe/mailbox"`,
				"model/b.go": head + `"github.com/troupe-go/troupe/tools"`,
			},
			want: []string{
				"model/a.go:2: model may not import github.com/troupe-go/troupe/mailbox",
				"model/b.go:2: model may not import github.com/troupe-go/troupe/tools",
			},
		},
		{
			name:  "a library of another row",
			files: map[string]string{"tools/a.go": head + `"github.com/modelcontextprotocol/go-sdk/mcp"`},
			want:  []string{"tools/a.go:2: tools may not import github.com/modelcontextprotocol/go-sdk/mcp"},
		},
		{
			name:  "a library for tests in production",
			files: map[string]string{"leader/a.go": head + `"github.com/google/go-cmp/cmp"`},
			want:  []string{"leader/a.go:2: leader may not import github.com/google/go-cmp/cmp"},
		},
		{
			name:  "a library of the tests alone",
			files: map[string]string{"config/a.go": head + `"github.com/google/jsonschema-go/jsonschema"`},
			want:  []string{"config/a.go:2: config may not import github.com/google/jsonschema-go/jsonschema"},
		},
		{
			name:  "a file of another system",
			files: map[string]string{"transcript/lock_windows.go": "//go:build windows\n\n" + head + `"golang.org/x/sys/windows"`},
			want:  []string{"transcript/lock_windows.go:4: transcript may not import golang.org/x/sys/windows"},
		},
		{
			name:  "a name that only starts like an allowed one",
			files: map[string]string{"model/a.go": head + `"golang.org/x/timeless"`},
			want:  []string{"model/a.go:2: model may not import golang.org/x/timeless"},
		},
	})
}

// TestFloorsDescend holds the table itself to its rule: what a row names is
// known and not above it.
func TestFloorsDescend(t *testing.T) {
	for dir, r := range floors {
		for _, name := range r.ours {
			if below, ok := floors[name]; !ok || cmp.Compare(below.floor, r.floor) > 0 {
				t.Errorf("the row of %s (floor %d) names %s, which is unknown or above it", dir, r.floor, name)
			}
		}
	}
}

// importPath is the path that spec imports.
func importPath(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has checked it
	}
	return name
}

// cutModule turns the path of a package of the project into its folder.
func cutModule(name string) (dir string, ok bool) {
	if name == module {
		return ".", true
	}
	return strings.CutPrefix(name, module+"/")
}

// within reports whether name is the package or module at root or below it.
func within(name, root string) bool {
	return name == root || strings.HasPrefix(name, root+"/")
}
