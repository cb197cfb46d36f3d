package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/config"
)

func TestTeamsAreReadInFull(t *testing.T) {
	eachArchive(t, "testdata/teams/*.txtar", func(t *testing.T, a archive) {
		team, err := config.Parse("team.yaml", a.files["team.yaml"].Data, a.files, known())
		if err != nil {
			t.Fatal(err)
		}
		warnings := team.Warnings
		team.Warnings = nil
		var b strings.Builder
		b.Write(dump(t, team))
		for _, w := range warnings {
			b.WriteString("\n\n" + w.String())
		}
		a.compare(t, b.String()+"\n")
	})
}

// dump shows what is set in a team.
func dump(t *testing.T, team *config.Team) []byte {
	t.Helper()
	full, err := json.Marshal(team)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(full, &tree); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(prune(tree), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// prune removes zero values; an empty list stays, for it differs from none.
func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			if item = prune(item); item != nil {
				out[k] = item
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
		return v
	case string, float64, bool:
		if v == "" || v == 0.0 || v == false {
			return nil
		}
		return v
	default:
		return nil
	}
}
