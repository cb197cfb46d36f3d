package archtest_test

import (
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// ledger lists the files that start goroutines, each with the reason and with
// who waits for the end. A new entry is a question in review: who stops it?
var ledger = map[string]string{
	"agent/agent.go":                 "a turn has a goroutine of its own, for whose end the agent waits",
	"agent/calls.go":                 "the calls of one step run side by side; the step waits for all of them",
	"cmd/troupe/app.go":              "listens for signals while a command runs; Main waits for it",
	"cmd/troupe/dial.go":             "reads stdin, which cannot be interrupted; ends with the process, at the latest",
	"cmd/troupe/dial_talk.go":        "reads from the server; the conversation waits for it",
	"cmd/troupe/live.go":             "redraws the status rows; close waits for it",
	"cmd/troupe/prompter.go":         "reads keys, which cannot be interrupted; ends with the process, at the latest",
	"cmd/troupe/recording.go":        "looks whether the writer of a followed log is alive; ends with the context of the loop",
	"cmd/troupe/run.go":              "asks the person while the run goes on; the end of the show waits for it",
	"cmd/troupe/serve_run.go":        "the sessions, and the server's accept loop; a timer cuts what does not end; run waits for all",
	"cmd/troupe/stdin.go":            "reads stdin, which cannot be interrupted; ends with the process if nobody writes",
	"cmd/troupe/worker.go":           "the sessions of a worker, for whose end it waits, and a hook on SIGTERM",
	"cmd/troupe/worker_health.go":    "answers those who ask how the worker is; the worker's end ends it and waits",
	"leader/leader.go":               "Start hands the run to a goroutine of its own; Wait waits for it",
	"leader/resume.go":               "Resume hands the run to a goroutine of its own, as Start does",
	"leader/run.go":                  "the agents of the leader and of each worker; the run's loop returns after all of them",
	"model/local.go":                 "asks the usual local servers at the same time, within one timeout, and waits for all of them",
	"model/stall.go":                 "a timer ends a call whose reply makes no progress; it is stopped with the reply",
	"replay/player.go":               "stops an agent that rests, and a timer ends one that does nothing; the verification of the agent waits for both",
	"model/modeltest/suite.go":       "a timer cancels a stream in the middle; the test stops it",
	"gateway/gatewaytest/suite.go":   "what a scenario does meanwhile, for which it waits",
	"session/manager.go":             "a run of each session that works, and what tells that all have ended; Run waits for all",
	"cmd/troupe/chat_terminal.go":    "reads the terminal for a whole chat; ends with the process if nobody types",
	"gateway/streams/lending.go":     "what is asked of a lent agent runs side by side; the run of its task waits for all",
	"gateway/streams/team_follow.go": "a hook stops the team when the context of its task ends; the task takes it away",
	"gateway/studio/connection.go":   "reads from the client, and hands on what it says; serve waits for both",
	"gateway/studio/remote.go":       "looks whether the other side lives while a step is heard; the step waits for it",
	"gateway/audit.go":               "a timer tells how many were refused; closing the audit tells it before, and stops it",
	"gateway/client/conn.go":         "tells a client of the log while another one hears it; the connection returns after both",
	"gateway/client/pulse.go":        "a timer looks after a connection; its stop waits for it",
	"gateway/envelope/calls.go":      "a call of a tool, which outlives its request, for all of which Run waits; a timer cuts them short, and is stopped",
	"gateway/streams/worker.go":      "the loops of a worker, and a hook on the end of its context; Run waits for all",
	"gateway/streams/worker_read.go": "a goroutine for each task and each cancel; Run waits for all",
}

func TestGoroutineLedger(t *testing.T) {
	keep(t, func(tr tree) []string { return ledgerFaults(tr, ledger) })
}

// ledgerFaults finds starts of goroutines outside the ledger, and entries of
// the ledger that start none.
func ledgerFaults(tr tree, ledger map[string]string) (faults []string) {
	idle := maps.Clone(ledger)
	for _, f := range tr.files {
		if f.syntax == nil || f.isTest() {
			continue
		}
		for _, n := range starts(f.syntax) {
			if _, ok := ledger[f.path]; !ok {
				faults = append(faults, tr.at(n)+": starts a goroutine, and the ledger does not know the file")
			}
			delete(idle, f.path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(idle)) {
		faults = append(faults, name+": is in the ledger, and starts no goroutine")
	}
	return faults
}

// starts are the nodes of f that start a goroutine: go statements, calls of a
// method Go (sync.WaitGroup, errgroup.Group), and timers with a function
// (time.AfterFunc, context.AfterFunc), which runs in a goroutine of its own.
func starts(f *ast.File) (found []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, n)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Go" || sel.Sel.Name == "AfterFunc") {
				found = append(found, n)
			}
		default:
		}
		return true
	})
	return found
}

func TestGoroutineLedgerSeesFaults(t *testing.T) {
	see(t, func(tr tree) []string {
		return ledgerFaults(tr, map[string]string{"a/known.go": "a reason", "a/quiet.go": "a reason"})
	}, []sighted{
		{
			name: "known starts, and tests",
			files: map[string]string{
				"a/known.go":  "package a\nfunc f() { go f(); go f() }",
				"a/quiet.go":  "package a\nfunc g() { wg.Go(g) }",
				"a/a_test.go": "package a\nfunc h() { go h() }",
			},
		},
		{
			name: "each way to start one",
			files: map[string]string{
				"a/known.go": "package a\nfunc f() { go f() }",
				"a/quiet.go": "package a\nfunc g() { go g() }",
				"b/new.go": "package b\nfunc f() {\n\tgo f()\n\ts.wg.Go(f)\n\tgroup.Go(func() error { return nil })\n" +
					"\ttime.AfterFunc(1, f)\n\tcontext.AfterFunc(ctx, f)\n}",
			},
			want: []string{
				"b/new.go:3: starts a goroutine, and the ledger does not know the file",
				"b/new.go:4: starts a goroutine, and the ledger does not know the file",
				"b/new.go:5: starts a goroutine, and the ledger does not know the file",
				"b/new.go:6: starts a goroutine, and the ledger does not know the file",
				"b/new.go:7: starts a goroutine, and the ledger does not know the file",
			},
		},
		{
			name: "an entry that is no longer true",
			files: map[string]string{
				"a/known.go": "package a\nfunc f() { go f() }",
				"a/quiet.go": "package a\n// go g()\nfunc g() { store.Go = true }",
			},
			want: []string{"a/quiet.go: is in the ledger, and starts no goroutine"},
		},
	})
}
