package config_test

import (
	"testing"

	"github.com/troupe-go/troupe/config"
)

func TestMistakesAreToldInFull(t *testing.T) {
	eachArchive(t, "testdata/errors/*.txtar", func(t *testing.T, a archive) {
		_, err := config.Parse("team.yaml", a.files["team.yaml"].Data, a.files, known())
		if err == nil {
			t.Fatal("Parse: no error, want one")
		}
		a.compare(t, err.Error()+"\n")
	})
}
