module github.com/troupe-go/troupe/bench/drivers/troupe

go 1.26.0

require (
	github.com/troupe-go/troupe v0.0.0
	github.com/troupe-go/troupe/bench v0.0.0
)

require (
	github.com/beevik/etree v1.8.1 // indirect
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/looplab/fsm v1.0.3 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/oklog/ulid/v2 v2.1.2 // indirect
	github.com/rs/zerolog v1.35.1 // indirect
	github.com/sashabaranov/go-openai v1.43.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace (
	github.com/troupe-go/troupe => ../../..
	github.com/troupe-go/troupe/bench => ../..
)
