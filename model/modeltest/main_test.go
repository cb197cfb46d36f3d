package modeltest_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no call leaves a goroutine behind; tests over sockets
// cannot run in a bubble, which would check it too.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
