module github.com/troupe-go/troupe/bench

go 1.26.0
