package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestTheTeamFileIsDocumented compares the schema of the team file with its
// manual; what is below serve: and worker: has pages of its own.
func TestTheTeamFileIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/team.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(text)
	type object struct {
		Properties           map[string]json.RawMessage `json:"properties"`
		AdditionalProperties json.RawMessage            `json:"additionalProperties"`
		AnyOf                []json.RawMessage          `json:"anyOf"`
	}
	keys := 0
	var walk func(path string, schema json.RawMessage)
	walk = func(path string, schema json.RawMessage) {
		var o object
		if json.Unmarshal(schema, &o) != nil {
			return // a boolean
		}
		for key, below := range o.Properties {
			keys++
			if !regexp.MustCompile("`" + key + "`").MatchString(manual) {
				t.Errorf("docs/team.md does not name %s.%s", path, key)
			}
			if key != "serve" && key != "worker" && key != "profile" && key != "remote" {
				walk(path+"."+key, below)
			}
		}
		walk(path+".NAME", o.AdditionalProperties)
		for _, one := range o.AnyOf {
			walk(path, one)
		}
	}
	walk("team", config.Schema())
	if keys < 60 {
		t.Errorf("only %d keys were found", keys)
	}
	for _, name := range []string{"context_window", "num_ctx"} {
		if !strings.Contains(string(config.Schema()), name) {
			t.Errorf("docs/team.md names %s, which the schema does not have", name)
		}
	}
}

// TestTheLimitsAreDocumented compares the defaults in the manual with those of a
// team that sets none.
func TestTheLimitsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/team.md")
	if err != nil {
		t.Fatal(err)
	}
	_, manual, found := strings.Cut(string(text), "\n## Limits\n")
	if !found {
		t.Fatal("docs/team.md has no limits")
	}
	made, err := leader.New(leader.Team{Model: leader.Model{Client: modeltest.Sequence()}})
	if err != nil {
		t.Fatal(err)
	}
	of := made.Team().Limits
	for key, value := range map[string]any{
		"agents": of.Agents, "spawns": of.Spawns, "depth": of.Depth, "max_steps": of.MaxSteps, "steps": of.Steps,
		"tokens": of.Tokens, "parallel": of.Parallel, "inbox": of.Inbox,
		"deadline": of.Deadline, "ask_timeout": of.AskTimeout, "tool_timeout": of.ToolTimeout,
		"stall": model.DefaultStall, "retry_wait_cap": model.DefaultWaitCap,
	} {
		found := regexp.MustCompile("(?m)^\\| `" + key + "` \\| (\\S+) \\|").FindStringSubmatch(manual)
		if found == nil {
			t.Errorf("docs/team.md has no row for %s", key)
			continue
		}
		if d, ok := value.(time.Duration); ok {
			if got, err := time.ParseDuration(found[1]); err != nil || got != d {
				t.Errorf("%s: the default is %s, not %s", key, d, found[1])
			}
		} else if found[1] != fmt.Sprint(value) {
			t.Errorf("%s: the default is %v, not %s", key, value, found[1])
		}
	}
	if want := fmt.Sprintf("`max_steps` (%d)", made.Team().Leader.MaxSteps); !strings.Contains(string(text), want) {
		t.Errorf("docs/team.md does not say %s of the leader", want)
	}
}

// TestTheTeamOfTheManualIsGood checks the team file that the manual shows.
func TestTheTeamOfTheManualIsGood(t *testing.T) {
	file, err := filepath.Abs("../../leader/testdata/manual/team.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := newProcess(t)
	p.vars["HOUSE_KEY"] = "a-key-for-this-test"
	if code := p.call(t.Context(), "check", "--file", file); code != exitOK || strings.Contains(p.stderr.String(), "warning") {
		t.Errorf("exit code %d: %s", code, &p.stderr)
	}
}
