//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package tools

import "os"

// renamesOpen says that a file is renamed while it is open, which Windows does not
// do.
const renamesOpen = false

// holdTemp has no lock to take on this system.
func (f *folder) holdTemp(*os.File, string) bool { return true }

// clearTemp cannot tell on this system whether somebody writes a file: it stays.
func (f *folder) clearTemp(string) bool { return false }
