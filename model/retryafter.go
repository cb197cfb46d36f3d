package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// waitInWords are the forms in which providers write into a refusal how long
// to wait: "Please try again in 1m2.5s", "retry after 26 seconds".
var waitInWords = pattern(`(?i)\b(?:try again|retry|wait)[^0-9]{0,24}` +
	`((?:[0-9]+(?:\.[0-9]+)? ?(?:milliseconds?|ms|seconds?|sec|s|minutes?|min|m|hours?|h) ?)+)\b`)

// amountInWords is one part of such a wait.
var amountInWords = pattern(`([0-9]+(?:\.[0-9]+)?)\s?(ms|milli|s|m|h)`)

// retryAfterWords reads how long the provider asks to wait out of its words;
// 0 if they do not say.
func retryAfterWords(words string) time.Duration {
	found := waitInWords().FindStringSubmatch(words)
	if found == nil {
		return 0
	}
	var sum time.Duration
	for _, part := range amountInWords().FindAllStringSubmatch(strings.ToLower(found[1]), -1) {
		n, _ := strconv.ParseFloat(part[1], 64)
		sum += seconds(n * map[string]float64{"ms": 0.001, "milli": 0.001, "s": 1, "m": 60, "h": 3600}[part[2]])
	}
	return sum
}

// retryAfterBody reads how long the provider asks to wait out of the body of a
// refusal: a field of its own, or the words. 0 if it does not say.
func retryAfterBody(body []byte, words string) time.Duration {
	var top any
	if json.Unmarshal(body, &top) == nil {
		if d := retryField(top, 0); d > 0 {
			return d
		}
	}
	return retryAfterWords(words)
}

// maxRetryDepth bounds how deep a field is looked for.
const maxRetryDepth = 6

// retryField finds a field that says how long to wait.
func retryField(v any, depth int) time.Duration {
	if depth > maxRetryDepth {
		return 0
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if d := retryValue(name, value); d > 0 {
				return d
			}
		}
		for _, value := range v {
			if d := retryField(value, depth+1); d > 0 {
				return d
			}
		}
	case []any:
		for _, value := range v {
			if d := retryField(value, depth+1); d > 0 {
				return d
			}
		}
	}
	return 0
}

// retryValue reads one field: seconds, milliseconds, or text such as "17s".
func retryValue(name string, value any) time.Duration {
	unit := 1.0
	switch strings.ToLower(name) {
	case "retry_after", "retryafter", "retry-after", "retry_after_seconds", "retrydelay", "retry_delay":
	case "retry_after_ms", "retryafterms", "retry-after-ms":
		unit = 0.001
	default:
		return 0
	}
	switch v := value.(type) {
	case float64:
		return seconds(v * unit)
	case string:
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return seconds(n * unit)
		}
		d, _ := time.ParseDuration(v)
		return max(d, 0)
	}
	return 0
}
