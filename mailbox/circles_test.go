package mailbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// batches runs n random schedules, many in one bubble, each with a desk and a
// seed of its own; one left blocked fails the bubble.
func batches(t *testing.T, n int, schedule func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	const perBubble = 250
	for first := 0; first < n; first += perBubble {
		synctest.Test(t, func(t *testing.T) {
			for seed := first; seed < min(first+perBubble, n); seed++ {
				schedule(t, rand.New(rand.NewPCG(uint64(seed), 7)))
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// call is one blocking call of an agent: an ask or, for the leader, perhaps a
// wait for output.
type call struct {
	from, to string
	id       string   // of the question; empty for a wait for output
	also     []string // further agents of a wait for output
	any      bool

	refused string // detail, if it was
	yielded string
	outcome event.Outcome
	over    bool
	at      time.Time
}

func (k *call) String() string { return fmt.Sprintf("%s->%s %s", k.from, k.to, k.id) }

// start makes the call in a goroutine of its own.
func (k *call) start(ctx context.Context, t *testing.T, c counter) {
	t.Helper()
	go func() {
		defer func() { k.at, k.over = time.Now(), true }()
		if k.id == "" {
			yield, done := c.Waiting(k.from, append([]string{k.to}, k.also...), k.any)
			defer done()
			select {
			case k.yielded = <-yield:
			case <-ctx.Done():
				k.outcome = event.Cancelled
			}
			return
		}
		cl, over, err := c.Ask(mailbox.Ask{ID: k.id, From: k.from, To: k.to, Timeout: 10 * time.Minute})
		if err != nil {
			t.Error(err)
		}
		if over {
			k.refused, k.outcome = cl.Detail, cl.Outcome
			return
		}
		e, err := c.Wait(ctx, k.id)
		if err != nil {
			t.Error(err)
		}
		k.yielded, k.outcome = e.Yielded, e.Outcome
	}()
}

// ring makes the calls of a circle of n agents, the leader among them or not.
func ring(r *rand.Rand, n int, withLeader bool) []*call {
	agents := make([]string, n)
	for i := range agents {
		agents[i] = fmt.Sprintf("a_%d", i)
	}
	if withLeader {
		agents[r.IntN(n)] = event.Leader
	}
	var calls []*call
	for i, from := range agents {
		k := &call{from: from, to: agents[(i+1)%n], id: fmt.Sprintf("ask_a%d_001", i)}
		if from == event.Leader && n > 1 && r.IntN(2) == 0 {
			k.id = "" // wait for output instead
			if k.any = r.IntN(2) == 0; !k.any {
				k.also = []string{"free_1"}
			}
		}
		calls = append(calls, k)
	}
	return calls
}

// noise makes calls that are in no circle: outsiders ask those of the ring,
// and those of the ring have, beside their call, one to somebody who works.
func noise(r *rand.Rand, calls []*call) []*call {
	var more []*call
	for i := range r.IntN(4) {
		in := calls[r.IntN(len(calls))]
		k := &call{from: fmt.Sprintf("out_%d", i), to: in.from, id: fmt.Sprintf("ask_out_%03d", i)}
		if in.from == event.Leader {
			continue // any question to the leader ends its waits; see TestLeadersWaitYields
		}
		if r.IntN(2) == 0 {
			k.from, k.to = in.from, fmt.Sprintf("free_%d", i)
		}
		more = append(more, k)
	}
	return more
}

// TestEveryCircleIsBroken closes circles of 1 to 6 agents in random order,
// alone and among calls that are in no circle: at once the closing ask is
// refused, or the leader's call ends with the question to answer first.
func TestEveryCircleIsBroken(t *testing.T) {
	batches(t, 10_000, func(t *testing.T, r *rand.Rand) {
		c := newCounter()
		ctx, cancel := context.WithCancel(t.Context())
		n, withLeader := 1+r.IntN(6), r.IntN(2) == 0
		circle := ring(r, n, withLeader)
		all := append(slices.Clone(circle), noise(r, circle)...)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		oneByOne := r.IntN(2) == 0
		start := time.Now()
		for _, k := range all {
			k.start(ctx, t, c)
			if oneByOne {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if !time.Now().Equal(start) {
			t.Errorf("it took %v", time.Since(start))
		}
		if withLeader && n > 1 {
			checkLeaderWasFreed(t, circle, all)
		} else {
			checkOneWasRefused(t, circle, all, oneByOne)
		}
		cancel()
		synctest.Wait()
		checkAllClosed(t, c)
	})
}

func checkLeaderWasFreed(t *testing.T, circle, all []*call) {
	t.Helper()
	var toLeader string
	for _, k := range circle {
		if k.to == event.Leader {
			toLeader = k.id
		}
	}
	for _, k := range all {
		freed := k.from == event.Leader && slices.Contains(circle, k)
		switch {
		case k.refused != "":
			t.Errorf("%v was refused although the leader is in the circle: %s", k, k.refused)
		case k.over != freed:
			t.Errorf("%v: over is %v, want %v", k, k.over, freed)
		case freed && k.yielded != toLeader:
			t.Errorf("the leader was told to answer %q first, want %q", k.yielded, toLeader)
		}
	}
}

func checkOneWasRefused(t *testing.T, circle, all []*call, oneByOne bool) {
	t.Helper()
	var refused []*call
	for _, k := range all {
		if k.refused != "" {
			refused = append(refused, k)
		} else if k.over {
			t.Errorf("%v is over: %+v", k, k)
		}
	}
	if len(refused) != 1 || !slices.Contains(circle, refused[0]) {
		t.Errorf("refused: %v, want one of %v", refused, circle)
		return
	}
	if oneByOne {
		last := slices.IndexFunc(all, func(k *call) bool { return k == refused[0] })
		for _, k := range all[last+1:] {
			if slices.Contains(circle, k) {
				t.Errorf("%v was refused before %v closed the circle", refused[0], k)
			}
		}
	}
	for _, k := range circle {
		if !strings.Contains(refused[0].refused, k.from) || !strings.Contains(refused[0].refused, k.id) {
			t.Errorf("the refusal does not name %v: %s", k, refused[0].refused)
		}
		if first := "answer " + k.id + " "; k.to == refused[0].from && len(circle) > 1 && !strings.Contains(refused[0].refused, first) {
			t.Errorf("the refusal does not say %q: %s", first, refused[0].refused)
		}
	}
}

// checkAllClosed checks that no question is open, none has an edge, and that
// each was closed exactly once in the log.
func checkAllClosed(t *testing.T, c counter) {
	t.Helper()
	if edges, open := c.Waits(), c.Awaited(); len(edges) != 0 {
		t.Errorf("edges left: %v, open %v", edges, open)
	}
	closed := make(map[string]int)
	for _, d := range dataOf[event.QuestionClosed](c.log.records()) {
		closed[d.ID]++
	}
	for _, q := range dataOf[event.QuestionOpened](c.log.records()) {
		_, o, ok := c.Lookup(q.ID)
		early := c.Awaited()[q.ID][1] != ""
		if !ok || o == "" && !early {
			t.Errorf("%s is open: known %v", q.ID, ok)
		}
		if n := closed[q.ID]; n != 1 && !early {
			t.Errorf("%s was closed %d times", q.ID, n)
		}
	}
}

// TestNoFalseRefusal asks at random where nobody's questions can come back to
// it, the leader included: nothing is refused and nothing ends early.
func TestNoFalseRefusal(t *testing.T) {
	batches(t, 10_000, func(t *testing.T, r *rand.Rand) {
		c := newCounter()
		ctx, cancel := context.WithCancel(t.Context())
		agents := []string{event.Leader, "a", "b", "c", "d", "e", "f"}
		r.Shuffle(len(agents), func(i, j int) { agents[i], agents[j] = agents[j], agents[i] })
		var calls []*call
		for i := range 1 + r.IntN(12) {
			from := r.IntN(len(agents) - 1)
			to := from + 1 + r.IntN(len(agents)-1-from)
			k := &call{from: agents[from], to: agents[to], id: fmt.Sprintf("ask_x_%03d", i)}
			calls = append(calls, k)
			k.start(ctx, t, c)
		}
		synctest.Wait()
		for _, k := range calls {
			if k.over {
				t.Errorf("%v is over: refused %q, yielded %q, in %v", k, k.refused, k.yielded, calls)
			}
		}
		cancel()
		synctest.Wait()
		checkAllClosed(t, c)
	})
}

// TestRefusalsAgreeWithAnOracle makes random asks, waits and answers, circles
// and dead ends among them, and compares each decision with a simulation.
func TestRefusalsAgreeWithAnOracle(t *testing.T) {
	var refused, accepted, early int
	for seed := range 3_000 {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		c := newCounter()
		o := &oracle{}
		agents := []string{event.Leader, "a", "b", "c", "d", "e"}[:3+r.IntN(4)]
		pick := func() string { return agents[r.IntN(len(agents))] }
		for i := range 30 {
			switch open := o.questions(); {
			case len(open) > 0 && r.IntN(3) == 0:
				k := open[r.IntN(len(open))]
				if _, err := c.Answer(k.to, "x", k.id, "", 1); err != nil {
					t.Fatal(err)
				}
				o.remove(k)
			case r.IntN(5) == 0:
				k := &call{from: event.Leader, to: agents[1+r.IntN(len(agents)-1)], also: agents[1 : 1+r.IntN(2)], any: r.IntN(2) == 0}
				yield, done := c.Waiting(k.from, append([]string{k.to}, k.also...), k.any)
				if got, want := yielded(yield) != "-", o.leaderStuck(k); got != want {
					t.Fatalf("seed %d: %+v with %v ended early: %v, want %v", seed, k, o.calls, got, want)
				}
				done()
			default:
				k := &call{from: pick(), to: pick(), id: fmt.Sprintf("ask_x_%03d", i)}
				want := k.from == k.to || k.from != event.Leader && o.closes(k)
				_, got, err := c.Ask(mailbox.Ask{ID: k.id, From: k.from, To: k.to})
				if err != nil || got != want {
					t.Fatalf("seed %d: %v with %v refused: %v, %v, want %v", seed, k, o.calls, got, err, want)
				}
				if got {
					refused++
					continue
				}
				accepted++
				o.calls = append(o.calls, k)
				early += o.dropEarly()
			}
			if got, want := edgesOf(c), o.edges(); !slices.Equal(got, want) {
				t.Fatalf("seed %d: edges %v, want %v", seed, got, want)
			}
		}
	}
	if refused < 1000 || accepted < 1000 || early < 1000 {
		t.Errorf("%d refused, %d accepted, %d early: the test proves too little", refused, accepted, early)
	}
}

func edgesOf(c counter) []string {
	var ids []string
	for _, e := range c.Waits() {
		ids = append(ids, e.Question)
	}
	return ids
}

// oracle decides by playing the game to its end: whoever waits for nothing
// answers everybody. Who waits then waits for ever.
type oracle struct {
	calls []*call // open, with an edge
	freed []*call // open, without: the leader's calls that ended early
}

func (o *oracle) questions() []*call { return append(slices.Clone(o.calls), o.freed...) }

func (o *oracle) remove(k *call) {
	is := func(l *call) bool { return l == k }
	o.calls = slices.DeleteFunc(o.calls, is)
	o.freed = slices.DeleteFunc(o.freed, is)
}

func (o *oracle) edges() []string {
	var ids []string
	for _, k := range o.calls {
		ids = append(ids, k.id)
	}
	return ids
}

// play returns those calls that never end.
func play(calls []*call) []*call {
	left := slices.Clone(calls)
	for {
		waits := func(agent string) bool {
			return slices.ContainsFunc(left, func(k *call) bool { return k.from == agent })
		}
		before := len(left)
		left = slices.DeleteFunc(slices.Clone(left), func(k *call) bool {
			var blocked int
			targets := append([]string{k.to}, k.also...)
			for _, to := range targets {
				if waits(to) {
					blocked++
				}
			}
			return blocked == 0 || k.any && blocked < len(targets)
		})
		if len(left) == before {
			return left
		}
	}
}

// closes reports whether k makes a circle of the calls that are not the
// leader's.
func (o *oracle) closes(k *call) bool {
	others := slices.DeleteFunc(slices.Clone(o.calls), func(l *call) bool { return l.from == event.Leader })
	return len(play(append(others, k))) > 0
}

// leaderStuck reports whether the leader could never end k.
func (o *oracle) leaderStuck(k *call) bool {
	return slices.Contains(play(append(slices.Clone(o.calls), k)), k)
}

// dropEarly takes the edges of the leader's calls away that can never end.
func (o *oracle) dropEarly() (n int) {
	for _, k := range play(o.calls) {
		if k.from == event.Leader {
			o.remove(k)
			o.freed = append(o.freed, k)
			n++
		}
	}
	return n
}
