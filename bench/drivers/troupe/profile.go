package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

// profile writes what was asked for in the environment; asked for nothing, it
// costs nothing.
type profile struct{ cpu *os.File }

func startProfile() profile {
	name := os.Getenv("TROUPE_CPUPROFILE")
	if name == "" {
		return profile{}
	}
	f, err := os.Create(name)
	kit.Check(err)
	kit.Check(pprof.StartCPUProfile(f))
	return profile{cpu: f}
}

// stop ends the CPU profile and writes the heap profile.
func (p profile) stop() {
	if p.cpu != nil {
		pprof.StopCPUProfile()
		kit.Check(p.cpu.Close())
	}
	name := os.Getenv("TROUPE_MEMPROFILE")
	if name == "" {
		return
	}
	time.Sleep(50 * time.Millisecond) // connections end by and by
	runtime.GC()
	runtime.GC() // what a profile tells is the state at the last but one
	f, err := os.Create(name)
	kit.Check(err)
	kit.Check(pprof.WriteHeapProfile(f))
	kit.Check(f.Close())
}
