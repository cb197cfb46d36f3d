package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportOfDamagedLogs exports what is whole of a log: all when only the
// last line is torn, what stands before a line that is no record otherwise.
func TestExportOfDamagedLogs(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	if code := p.call(t.Context(), "run", "--quiet", "-m", "scripted/ok.json", "the task"); code != exitOK {
		t.Fatal(&p.stderr)
	}
	logs, _ := filepath.Glob(filepath.Join(p.vars["XDG_STATE_HOME"], "troupe", "runs", "*", "log.jsonl"))
	whole, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	half := bytes.Join(lines[:len(lines)/2], nil)
	for _, tt := range []struct {
		name, text string
		has, warns string
	}{
		{"whole", string(whole), "the answer", ""},
		{"torn", string(half) + `{"v":1,"seq":`, "the task", "torn"},
		{"damaged", string(half) + "garbage\n" + string(whole[len(half):]), "the task", "warning:"},
	} {
		for _, form := range []string{"md", "json", "html"} {
			put(t, tt.name+".jsonl", tt.text)
			code := p.call(t.Context(), "runs", "export", tt.name+".jsonl", "--format", form)
			out, told := p.stdout.String(), p.stderr.String()
			if code != exitOK || !strings.Contains(out, tt.has) || !strings.Contains(told, tt.warns) || tt.warns == "" && told != "" {
				t.Errorf("%s as %s: exit code %d, stderr %q:\n%s", tt.name, form, code, told, out)
			}
			if tt.name == "damaged" && !strings.Contains(out, "damaged.jsonl:") {
				t.Errorf("%s as %s does not say where it ends:\n%s", tt.name, form, out)
			}
		}
	}
}

// TestExportMasks looks for keys that are set now and that the log has: they
// are in no form of the export.
func TestExportMasks(t *testing.T) {
	const known, own, listed = "sk-provider-0123456789", "house-key-0123456789", "token-from-file-0123456789"
	p := newProcess(t)
	p.vars["OPENAI_API_KEY"], p.vars["HOUSE_KEY"] = known, own
	put(t, ".env", "CI_TOKEN="+listed+"\n")
	put(t, "team.yaml", `version: 1
model: m
models: {m: {provider: deepseek, model: x, api_key_env: HOUSE_KEY}}
transcript: {redact: ["internal-[0-9]+"]}
roles: {a: {name: A, does: nothing}}
`)
	put(t, "chat.json", `[{"role":"user","content":"`+known+`"},{"role":"assistant","content":null,
		"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"key\":\"`+own+`\"}"}}]},
		{"role":"tool","tool_call_id":"c","content":"<`+listed+`> internal-4711"},{"role":"assistant","content":"done with `+known+`"}]`)
	for _, form := range []string{"md", "json", "html"} {
		if code := p.call(t.Context(), "runs", "export", "chat.json", "--format", form); code != exitOK {
			t.Fatalf("%s: %s", form, &p.stderr)
		}
		out := p.stdout.String()
		for _, key := range []string{known, own, listed, "internal-4711"} {
			if strings.Contains(out, key) {
				t.Errorf("%s has the key %s", form, key)
			}
		}
		if !strings.Contains(out, "done with [masked]") {
			t.Errorf("%s masks too much:\n%s", form, out)
		}
	}
}

// TestExportSchema holds an export to its schema.
func TestExportSchema(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.jsonl")
	copyFile(t, "../../replay/foreign/testdata/import/claude-inline.jsonl", file)
	p := newProcess(t)
	p.call(t.Context(), "schema", "export")
	var schema, export map[string]any
	if err := json.Unmarshal(p.stdout.Bytes(), &schema); err != nil {
		t.Fatal(err)
	}
	p.call(t.Context(), "runs", "export", file, "--format", "json")
	if err := json.Unmarshal(p.stdout.Bytes(), &export); err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults(schema, export, "") {
		t.Error(fault)
	}
	records, _ := export["records"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	of, _ := properties["records"].(map[string]any)
	item, _ := of["items"].(map[string]any)
	for _, rec := range records {
		for _, fault := range faults(item, rec, "") {
			t.Error(fault)
		}
	}
	if len(records) < 50 || export["status"] != "finished" || export["answer"] != "说明写好了，代码未改。" {
		t.Errorf("%d records, %v, %v", len(records), export["status"], export["answer"])
	}
	export["agents"] = "none"
	if len(faults(schema, export, "")) == 0 {
		t.Error("an export with agents that are no list is valid")
	}
}

// TestExportOnly names agents in one value, with commas, or in several.
func TestExportOnly(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.jsonl")
	copyFile(t, recordedRuns+"steered.jsonl", log)
	p := newProcess(t)
	export := func(flags ...string) string {
		if code := p.call(t.Context(), append([]string{"runs", "export", log}, flags...)...); code != exitOK {
			t.Fatalf("%v: %s", flags, &p.stderr)
		}
		return p.stdout.String()
	}
	one, both := export("--only", "uio_1"), export("--only", "uio_1", "--only", "tl")
	if got := export("--only", "uio_1, tl"); got != both || len(got) <= len(one) {
		t.Errorf("with a comma %d bytes, repeated %d, of one agent %d", len(got), len(both), len(one))
	}
}
