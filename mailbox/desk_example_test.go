package mailbox_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// Two agents ask each other: the second ask is refused at once and says what
// to do instead.
func ExampleDesk() {
	desk := mailbox.NewDesk(&memLog{}, mailbox.NewIDs(), mailbox.DeskOptions{Leader: event.Leader})

	_, refused, err := desk.Ask(mailbox.Ask{ID: "ask_uio_001", From: "uio_1", To: "fse_1"})
	fmt.Println(refused, err)
	closed, refused, err := desk.Ask(mailbox.Ask{ID: "ask_fse_001", From: "fse_1", To: "uio_1"})
	fmt.Println(refused, err, closed.Outcome)
	fmt.Println(closed.Detail)

	if _, err := desk.Answer("fse_1", "fse", "ask_uio_001", "POST /api/users", 1); err != nil {
		fmt.Println(err)
	}
	end, err := desk.Wait(context.Background(), "ask_uio_001")
	fmt.Println(end.Outcome, end.AnswerID, end.Text, err)
	// Output:
	// false <nil>
	// true <nil> refused_cycle
	// everybody in this circle would wait for the next: fse_1 -> uio_1 (ask_fse_001) -> fse_1 (ask_uio_001); answer ask_uio_001 from uio_1 first
	// answered ans_fse_001 POST /api/users <nil>
}
