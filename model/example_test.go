package model_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// A scripted model answers by what the request says; a real one would come
// from [model.Open].
func Example() {
	script, err := model.ParseScript("greeting", []byte(`{
		"roles": {"uio": [{"text": "I do it: {{.Task}}", "chunk": 5}]}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := model.WithRetry(model.NewScripted(script), model.RetryPolicy{})
	req := model.Request{Agent: "uio_1", AgentRole: "uio", Messages: []model.Message{
		{Role: model.User, Content: "a signup page", Origin: model.Origin{Kind: event.Task}},
	}}
	for chunk, err := range client.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(chunk.Text)
	}
	// Output: I do it: a signup page
}
