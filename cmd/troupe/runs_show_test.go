package main

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
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

// TestMoneyOfEstimatedTokensIsMarked: where tokens were estimated, so was the money;
// an agent whose own tokens were counted has no mark.
func TestMoneyOfEstimatedTokensIsMarked(t *testing.T) {
	p := newProcess(t)
	for _, id := range []string{"01A", "01B"} {
		p.logged(t, id, 0,
			member("tl", "Team Leader", "house/big"), event.ModelReplied{Step: 1, Usage: event.Usage{Input: 100, Output: 5}, Cost: yuan(0.25)},
			member("uio_1", "UI Operator_1", "house/small"), event.ModelReplied{Step: 1, Text: id, Usage: event.Usage{Input: 10, Output: 5, Estimated: true}, Cost: yuan(1.5)},
			event.RunFinished{Answer: id},
		).Close()
	}
	for command, want := range map[string]int{"runs show 01A": exitOK, "runs cost 01A": exitOK, "replay 01A --speed 0 --verbose --view lines": exitOK, "diff 01A 01B": exitFailed} {
		if code := p.call(t.Context(), strings.Fields(command)...); code != want {
			t.Fatalf("%s: exit code %d: %s", command, code, &p.stderr)
		}
		out := p.stdout.String()
		for amount, marked := range map[string]bool{"0.2500 CNY": false, "¥0.250": false, "1.5000 CNY": true, "¥1.50": true, "1.7500 CNY": true, "+0.0000 CNY": true} {
			if n := strings.Count(out, amount); marked && n != strings.Count(out, "~"+amount) || !marked && strings.Contains(out, "~"+amount) {
				t.Errorf("%s: %q is marked as estimated where it is not, or not where it is:\n%s", command, amount, out)
			}
		}
		if !strings.Contains(out, "~1.7500 CNY") && !strings.Contains(out, "~¥1.50") {
			t.Errorf("%s shows no estimated money:\n%s", command, out)
		}
	}
	for command, want := range map[string]int{"runs show 01A --json": exitOK, "runs cost 01A --json": exitOK, "diff 01A 01B --json": exitFailed} {
		if code := p.call(t.Context(), strings.Fields(command)...); code != want || strings.Contains(p.stdout.String(), "~") {
			t.Errorf("%s: exit code %d, or a mark: %s", command, code, &p.stdout)
		}
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
