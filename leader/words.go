package leader

import (
	"strings"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/prompts"
)

// agentWords gives an agent the runtime's words in the language of the team.
type agentWords struct{ prompts.Words }

// OpenQuestions implements [agent.Words].
func (w agentWords) OpenQuestions(open []agent.OpenQuestion) string {
	list := make([]prompts.OpenQuestion, len(open))
	for i, q := range open {
		list[i] = prompts.OpenQuestion(q)
	}
	return w.Words.OpenQuestions(list)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
