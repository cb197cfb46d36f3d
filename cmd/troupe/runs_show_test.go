package main

import (
	"strings"
	"testing"
)

// TestFailedCallsCountInARun: a call that failed may have cost something.
func TestFailedCallsCountInARun(t *testing.T) {
	p := newProcess(t)
	const usage = `"usage":{"input":100,"output":0},"cost":{"currency":"CNY","amount":1.5}`
	put(t, "log.jsonl", `{"v":1,"seq":1,"ts":"2026-03-01T12:00:00Z","type":"run.started","data":{"run_id":"r","task":"t","model_kind":"real"}}
{"v":1,"seq":2,"ts":"2026-03-01T12:00:01Z","type":"agent.created","agent":"tl","data":{"name":"Team Leader","role":"tl","code":"tl","prompt":"","tools":[],"model":"a/b"}}
{"v":1,"seq":3,"ts":"2026-03-01T12:00:02Z","type":"model.failed","agent":"tl","turn":1,"data":{"step":1,"model":"a/b","failure":{"code":"server_error","message":"no"},`+usage+`}}
{"v":1,"seq":4,"ts":"2026-03-01T12:00:03Z","type":"model.replied","agent":"tl","turn":1,"data":{"step":2,"model":"c/d","finish":"stop","duration_ms":1,`+usage+`}}
`)
	if code := p.call(t.Context(), "runs", "show", "log.jsonl", "--json"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	if got := strings.Count(p.stdout.String(), `"cost":{"currency":"CNY","amount":3}`); got != 2 {
		t.Errorf("%d costs of 3 CNY, want that of the run and that of the leader: %s", got, &p.stdout)
	}
}

// TestRunsShowMasks looks for a key that is set now and that the header of a log
// has.
func TestRunsShowMasks(t *testing.T) {
	const key = "provider-key-0123456789"
	p := newProcess(t)
	p.vars["OPENAI_API_KEY"] = key
	put(t, "log.jsonl", `{"v":1,"seq":1,"ts":"2026-03-01T12:00:00Z","type":"run.started","data":{"run_id":"r","task":"use `+key+`","team_name":"team `+key+`","model_kind":"real"}}
`)
	for _, form := range []string{"--lang=en", "--json"} {
		if code := p.call(t.Context(), "runs", "show", "log.jsonl", form); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &p.stderr)
		}
		if out := p.stdout.String(); strings.Contains(out, key) || !strings.Contains(out, "use [masked]") {
			t.Errorf("%s: the key is in it, or nothing is masked:\n%s", form, out)
		}
	}
}
