package leader

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/model"
)

// ModelSpec says how a team of the file asks the model of a reference: as the
// file says where it defines the model, else as usual. The reference is a name
// under models, an alias, or provider/model.
func ModelSpec(file *config.Team, ref string) (model.Spec, error) {
	if alias, ok := file.ModelAliases[ref]; ok {
		ref = alias
	}
	entry, err := entryOf(file, ref)
	if err != nil {
		return model.Spec{}, err
	}
	return specOf(file, entry), nil
}

// entryOf is what the file says of a model.
func entryOf(file *config.Team, ref string) (config.Model, error) {
	if entry, ok := file.Models[ref]; ok {
		return entry, nil
	}
	provider, name, err := model.ParseRef(ref)
	return config.Model{Provider: provider, Model: name}, err
}

func specOf(file *config.Team, entry config.Model) model.Spec {
	return model.Spec{
		Provider: entry.Provider, Model: entry.Model, BaseURL: entry.BaseURL, KeyEnv: entry.APIKeyEnv,
		Temperature: entry.Temperature, MaxOutputTokens: entry.MaxOutputTokens, Extra: entry.Extra,
		Stall:   cmp.Or(entry.Timeout, file.Limits.Stall.Or(0, -1)),
		Profile: profileOf(entry.Provider, entry.Profile), MaxConns: file.Limits.Parallel.Or(0, manyConns),
	}
}

// manyConns is how many idle connections to an endpoint are kept when the
// number of calls at once is not limited.
const manyConns = 1024

// waitCap is the longest wait that a provider may ask for; 0 is the usual one.
func waitCap(l config.Limits) time.Duration { return l.RetryWaitCap.Or(0, math.MaxInt64) }

// retryPolicy says how calls of a model are tried again.
func retryPolicy(r config.Retry, l config.Limits) model.RetryPolicy {
	p := model.RetryPolicy{Base: r.Base, Cap: r.Cap, WaitCap: waitCap(l), AfterText: l.RetryAfterText}
	switch r.Max.State {
	case config.Absent:
	case config.Unlimited:
		p.Max, p.Budget = math.MaxInt, -1
	case config.Bounded:
		p.Max = cmp.Or(r.Max.Value, -1)
	}
	return p
}

// withFallbacks makes m ask the models of refs in turn when it fails. One that
// has the name of another but not its price is told apart by its reference.
func (f *modelFinder) withFallbacks(m Model, refs []string) Model {
	for _, ref := range refs {
		other := f.get(ref)
		if other.Client == nil {
			continue // the reason is kept
		}
		other.Name = cmp.Or(other.Name, ref)
		alike := func(m Model) bool { return m.Name == other.Name && !samePrice(m.Price, other.Price) }
		if slices.ContainsFunc(m.chain(), alike) {
			other.Name += " (" + ref + ")"
		}
		m.Fallback = append(m.Fallback, other)
	}
	return m
}

// profileOf is the profile of a provider's endpoints with what the team file
// says over it.
func profileOf(provider string, given config.Profile) model.Profile {
	p := model.FamilyProfile(provider)
	word(&p.EchoReasoning, given.EchoReasoning, "never")
	word(&p.ReasoningTags, given.ReasoningTags, "off")
	word(&p.ContentWithCalls, given.ContentWithCalls, "none")
	word(&p.SchemaDialect, given.SchemaDialect, "full")
	word(&p.MaxTokensField, given.MaxTokensField, "")
	flag(&p.ToolCallsAsText, given.ToolCallsAsText)
	flag(&p.NoTemperature, given.NoTemperature)
	flag(&p.NoStreamUsage, given.NoStreamUsage)
	flag(&p.NoParallelToolCalls, given.NoParallelToolCalls)
	flag(&p.NoRequiredToolChoice, given.NoRequiredToolChoice)
	flag(&p.MergeSameRole, given.MergeSameRole)
	flag(&p.AssistantBetweenToolAndUser, given.AssistantBetweenToolAndUser)
	flag(&p.SingleSystem, given.SingleSystem)
	flag(&p.SingleCall, given.SingleCall)
	p.NumCtx = cmp.Or(given.NumCtx, p.NumCtx)
	return p
}

// word sets a switch to a word of the team file, if there is one; plain is the
// word for the zero value.
func word[T ~string](to *T, given, plain string) {
	switch given {
	case "":
	case plain:
		*to = ""
	default:
		*to = T(given)
	}
}

func flag(to, given *bool) {
	if given != nil {
		*to = *given
	}
}
