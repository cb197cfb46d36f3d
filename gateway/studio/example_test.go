package studio_test

import (
	"fmt"

	"github.com/troupe-go/troupe/gateway/studio"
)

func ExampleRead() {
	// As the document of the protocol writes it, with a comma too many.
	m, err := studio.Read([]byte(`{"id": "lgoqcoarq8s", "type": "chat-output", "event": "delta", "content": "这是一段",},`))
	fmt.Println(m.Type, m.Event, m.Content, err)
	// Output: chat-output delta 这是一段 <nil>
}
