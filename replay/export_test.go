package replay

import "github.com/troupe-go/troupe/agent"

// Change are options that plant a change in the program; nil plants none.
func Change(change func(*agent.Config)) VerifyOptions { return VerifyOptions{change: change} }
