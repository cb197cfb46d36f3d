package render_test

import (
	"fmt"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// A printer shows each record as a bubble; ids stand outside the box.
func ExamplePrinter() {
	p := render.NewPrinter(render.Options{Width: 64, Lang: "zh"})
	fmt.Print(p.Record(event.Record{V: 1, Seq: 7, Agent: "uio_1", Data: event.MessageSent{
		ID: "ask_uio_001", Kind: event.Question, From: "uio_1", FromName: "UI Operator_1", To: "fse_1",
		Content: "API 接口已经确定了吗？我需要接口字段来设计表单。",
	}}))
	// Output:
	// ┌──────────────────────────────────────────────────────────────┐
	// │ UI Operator_1  提问                                          │
	// │                                                              │
	// │ API 接口已经确定了吗？我需要接口字段来设计表单。             │
	// └──────────────────────────────────────────────────────────────┘
	//   ask_uio_001 → fse_1
}
