package prompts_test

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/prompts"
)

// The list of tools in a prompt is made from the tools that it is given.
func ExampleLeader() {
	text, err := prompts.Leader("en", prompts.LeaderData{
		TeamName: "signup",
		Roles:    prompts.BuiltinRoles("en"),
		Tools:    []prompts.Tool{{Name: "create_sub_agent", Description: "Start a sub-agent."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, list, _ := strings.Cut(text, "# Tools\n\n")
	fmt.Println(list)
	// Output: - `create_sub_agent`: Start a sub-agent.
}

func ExampleIn() {
	fmt.Println(prompts.In("en").Created("UI Operator_1", "uio_1", 1, 7))
	fmt.Println(prompts.In("zh").AnswerDelivered("ask_uio_001"))
	// Output:
	// Created UI Operator_1 (uio_1). It works in the background; its reports come by themselves. Places used: 1, free: 7.
	// 对 ask_uio_001 的回答已送达。
}
