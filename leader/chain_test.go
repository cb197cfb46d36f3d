package leader_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// spentThenFailed answers nothing but costs something.
type spentThenFailed event.Usage

func (s spentThenFailed) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if yield(model.Chunk{Usage: (*event.Usage)(&s)}, nil) {
			yield(model.Chunk{}, model.NewError(model.ClassEmptyResponse, "nothing came"))
		}
	}
}

// always answers each call in the same way.
func always(r modeltest.Reply) model.Client {
	return modeltest.Func(func(context.Context, model.Request) modeltest.Reply { return r })
}

// TestEachModelIsPaidByItsOwnPrice: a call that a fallback answered costs what
// the fallback takes, plus what the first one took for nothing.
func TestEachModelIsPaidByItsOwnPrice(t *testing.T) {
	cheap := &leader.Price{Currency: "CNY", Input: 1, CachedInput: 1, Output: 2}
	dear := &leader.Price{Currency: "CNY", Input: 100, CachedInput: 10, Output: 1000}
	usd := &leader.Price{Currency: "USD", Input: 7, Output: 7}
	million := event.Usage{Input: 1_000_000, Output: 1_000_000}
	answers := always(modeltest.Reply{Text: "done", Usage: million})
	refuses := always(modeltest.Reply{Err: model.NewError(model.ClassOverloaded, "full")})
	tests := []struct {
		name  string
		model leader.Model
		by    string
		cost  string
	}{
		{
			"the first answers",
			leader.Model{Name: "a/first", Client: answers, Price: cheap, Fallback: []leader.Model{{Name: "b/second", Client: refuses, Price: dear}}},
			"a/first", "3 CNY",
		},
		{
			"a dear fallback answers",
			leader.Model{Name: "a/first", Client: refuses, Price: cheap, Fallback: []leader.Model{{Name: "b/second", Client: answers, Price: dear}}},
			"b/second", "1100 CNY",
		},
		{
			"a cheap fallback answers",
			leader.Model{Name: "a/first", Client: refuses, Price: dear, Fallback: []leader.Model{{Name: "b/second", Client: answers, Price: cheap}}},
			"b/second", "3 CNY",
		},
		{
			"the first failed after it cost something",
			leader.Model{
				Name: "a/first", Client: spentThenFailed{Input: 2_000_000}, Price: dear,
				Fallback: []leader.Model{{Name: "b/second", Client: answers, Price: cheap}},
			},
			"b/second", "203 CNY",
		},
		{
			"the fallback of a fallback",
			leader.Model{
				Name: "a/first", Client: refuses, Price: dear, Fallback: []leader.Model{{
					Name: "b/second", Client: spentThenFailed{Input: 1_000_000}, Price: cheap,
					Fallback: []leader.Model{{Name: "c/third", Client: answers, Price: dear}},
				}},
			},
			"c/third", "1101 CNY",
		},
		{
			"a price that nobody knows",
			leader.Model{Name: "a/first", Client: refuses, Price: cheap, Fallback: []leader.Model{{Name: "b/second", Client: answers}}},
			"b/second", "unknown",
		},
		{
			"two currencies",
			leader.Model{
				Name: "a/first", Client: spentThenFailed{Input: 1_000_000}, Price: cheap,
				Fallback: []leader.Model{{Name: "b/second", Client: answers, Price: usd}},
			},
			"b/second", "unknown",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := leader.New(leader.Team{Model: tt.model, Limits: leader.Limits{Tokens: leader.Unlimited}}, leader.WithWorkDir(t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			run, err := l.Start(t.Context(), "work")
			if err != nil {
				t.Fatal(err)
			}
			replied, reserved := event.ModelReplied{}, (*event.Cost)(nil)
			for rec, err := range run.Events(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				switch d := rec.Data.(type) {
				case event.ModelReplied:
					replied = d
				case event.ModelRequested:
					reserved = d.ReservedCost
				}
			}
			res, err := run.Wait()
			if err != nil || replied.Model != tt.by || costText(replied.Cost) != tt.cost || costText(res.Cost) != tt.cost {
				t.Errorf("error %v; answered by %q for %s, in all %s; want %q for %s",
					err, replied.Model, costText(replied.Cost), costText(res.Cost), tt.by, tt.cost)
			}
			const output = 4096 // tokens that are reserved for a reply
			hasDear := tt.model.Price == dear || tt.model.Fallback[0].Price == dear
			if hasDear && (reserved == nil || reserved.Amount < output*dear.Output/1e6) {
				t.Errorf("reserved %s, want the price of the dearest model", costText(reserved))
			}
		})
	}
}

func costText(c *event.Cost) string {
	if c == nil || c.Currency == "" {
		return "unknown"
	}
	return fmt.Sprintf("%v %s", math.Round(c.Amount*1e6)/1e6, c.Currency)
}

// TestAFailedChainNamesWhoFailedLast and is paid for too.
func TestAFailedChainNamesWhoFailedLast(t *testing.T) {
	price := &leader.Price{Currency: "CNY", Input: 1}
	l, err := leader.New(leader.Team{Model: leader.Model{
		Name: "a/first", Client: spentThenFailed{Input: 1_000_000}, Price: price,
		Fallback: []leader.Model{{Name: "b/second", Client: spentThenFailed{Input: 2_000_000}, Price: &leader.Price{Currency: "CNY", Input: 10}}},
	}}, leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	res, err := l.Do(t.Context(), "work")
	if err == nil || costText(res.Cost) != "21 CNY" {
		t.Errorf("error %v, cost %s, want a failure that cost 21 CNY", err, costText(res.Cost))
	}
}

// TestChainsThatCannotBePaid: what a budget needs to know of a chain, and what
// every chain needs.
func TestChainsThatCannotBePaid(t *testing.T) {
	client := modeltest.Sequence()
	cny, usd := &leader.Price{Currency: "CNY"}, &leader.Price{Currency: "USD"}
	chain := func(first leader.Model, others ...leader.Model) leader.Model {
		first.Client, first.Fallback = client, others
		return first
	}
	for _, tt := range []struct {
		name   string
		model  leader.Model
		budget float64
		wants  string
	}{
		{"two currencies", chain(leader.Model{Name: "a/b", Price: cny}, leader.Model{Name: "c/d", Client: client, Price: usd}), 5, "model c/d has USD, others CNY"},
		{"two currencies, no budget", chain(leader.Model{Name: "a/b", Price: cny}, leader.Model{Name: "c/d", Client: client, Price: usd}), 0, ""},
		{"no price", chain(leader.Model{Name: "a/b", Price: cny}, leader.Model{Name: "c/d", Client: client}), 5, "model c/d has none"},
		{"a script needs none", chain(leader.Model{Name: "a/b", Price: cny}, leader.Model{Name: "c/d", Client: client, Scripted: true}), 5, ""},
		{"no client", chain(leader.Model{Name: "a/b"}, leader.Model{Name: "c/d"}), 0, `the fallback "c/d" without a client`},
		{"no name", chain(leader.Model{}, leader.Model{Name: "c/d", Client: client}), 0, "needs a name"},
		{"one name, two prices", chain(leader.Model{Name: "a/b", Price: cny}, leader.Model{Name: "a/b", Client: client, Price: usd}), 0, "two prices"},
	} {
		_, err := leader.New(leader.Team{Model: tt.model, Limits: leader.Limits{Budget: tt.budget}})
		if (err == nil) != (tt.wants == "") || err != nil && !strings.Contains(err.Error(), tt.wants) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.wants)
		}
	}
}

// TestPricesOfAFile: the fallback of a team file is paid by its own price, also
// where it is the same model at another address.
func TestPricesOfAFile(t *testing.T) {
	down := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusBadGateway}}
	})
	up := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Text: "ok", Usage: event.Usage{Input: 1_000_000}}
	})
	file := func(currency string) string {
		return teamFile(t, `
model: first
limits: {budget: 100}
roles: {w: {name: Worker, does: works}}
models:
  first: {provider: openai-compatible, model: m, base_url: "${DOWN}", retry: {max: 0}, fallback: [second], price: {currency: CNY, input: 1, output: 1}}
  second: {provider: openai-compatible, model: m, base_url: "${UP}", price: {currency: `+currency+`, input: 3, output: 3}}
`)
	}
	vars := env("DOWN", down.URL, "UP", up.URL)
	l, err := leader.Load(file("CNY"), vars, leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := l.Do(t.Context(), "work"); err != nil || costText(res.Cost) != "3 CNY" {
		t.Errorf("error %v, cost %s, want 3 CNY", err, costText(res.Cost))
	}
	if _, err := leader.Load(file("USD"), vars); err == nil || !strings.Contains(err.Error(), "model openai-compatible/m (second) has USD, others CNY") {
		t.Errorf("got %v, want the two currencies", err)
	}
}

// TestOneLimiterForFileAndCode: a model of a team file and one made in code ask
// the same endpoint with the same key, so they share what it allows and wait
// together when it refuses one of them.
func TestOneLimiterForFileAndCode(t *testing.T) {
	t.Parallel()
	c := &crowded{retryAfter: time.Second}
	server := modeltest.NewServer(t, c.reply)
	coded, err := model.NewOpenAI(model.Endpoint{Model: "coded", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	file := teamFile(t, "model: house\nroles:\n  w: {name: Worker, does: works, model: own/coded}\nmodel_aliases: {own/coded: openai-compatible/coded}\n"+
		"models:\n  house: {provider: openai-compatible, model: test-model, base_url: \"${URL}\", rate: {concurrent: 2}}\n")
	l, err := leader.Load(file, env("URL", server.URL), leader.WithWorkDir(t.TempDir()),
		leader.WithClient("openai-compatible/coded", leader.Model{Name: "own/coded", Client: coded}))
	if err != nil {
		t.Fatal(err)
	}
	res, err := l.Do(t.Context(), "work")
	if err != nil || res.Status != leader.StatusFinished {
		t.Fatalf("the run ended %s, %v", res.Status, err)
	}
	if c.refused == 0 || len(c.taken) != crew || server.MaxOverlap() > 2 {
		t.Errorf("%d refused, %d served, %d at once; want all served, two at once as the file says", c.refused, len(c.taken), server.MaxOverlap())
	}
}

// TestModelOfAReference makes a team in code that names its model only.
func TestModelOfAReference(t *testing.T) {
	failures := 2
	server := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		if failures--; failures >= 0 {
			return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusBadGateway}}
		}
		return modeltest.Reply{Text: "third time"}
	})
	vars := env("OPENAI_BASE_URL", server.URL, "OPENAI_API_KEY", "sk-secret-1234")
	other := leader.Model{Name: "own/other", Client: modeltest.Sequence()}
	l, err := leader.New(leader.Team{Model: other, Roles: []leader.Role{{Name: "Worker", Model: other}}}, vars,
		leader.WithModel("openai/m"), leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Team(); got.Leader.Model.Name != "openai/m" || got.Roles[0].Model.Name != "openai/m" {
		t.Errorf("the leader has %s and the role %s, want the model that was named", got.Leader.Model.Name, got.Roles[0].Model.Name)
	}
	if res, err := l.Do(t.Context(), "work"); err != nil || res.Answer != "third time" {
		t.Errorf("result %q, error %v, want the answer after two retries", res.Answer, err)
	}
	if _, err := leader.New(leader.Team{}, env(), leader.WithModel("openai/m")); !isKeyError(err) {
		t.Errorf("error %v, want the missing key", err)
	}
}
