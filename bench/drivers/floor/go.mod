module github.com/troupe-go/troupe/bench/drivers/floor

go 1.26.0

require github.com/troupe-go/troupe/bench v0.0.0

require github.com/sashabaranov/go-openai v1.43.0

replace github.com/troupe-go/troupe/bench => ../..
