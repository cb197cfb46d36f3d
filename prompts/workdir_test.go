package prompts_test

import (
	"testing"

	"github.com/troupe-go/troupe/prompts"
)

func TestWorkDirOf(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		for _, dir := range []string{"/srv/a project/页面", ""} {
			lead, err := prompts.Leader(lang, prompts.LeaderData{WorkDir: dir, Extra: "Lead well."})
			if err != nil {
				t.Fatal(err)
			}
			worker, err := prompts.Worker(lang, prompts.WorkerData{Name: "Writer_1", WorkDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			for _, prompt := range []string{lead, worker} {
				if got := prompts.WorkDirOf(prompt); got != dir {
					t.Errorf("%s: got %q, want %q, in:\n%s", lang, got, dir, prompt)
				}
			}
		}
	}
}
