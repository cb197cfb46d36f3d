package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// probeTime bounds the probe of one local server.
const probeTime = 300 * time.Millisecond

// maxModelList bounds what is read of a server's list of models, in bytes.
const maxModelList = 1 << 20

// Found is a local server that answered with a list of models.
type Found struct {
	// Provider is its name in [Providers].
	Provider string
	// BaseURL is where it listens.
	BaseURL string
	// Models are the names it lists, in its order; at least one.
	Models []string
}

// Local asks the local servers of [Providers] for their models, all at once,
// 300 ms each, and returns those that list any, in the order of Providers.
// lookup reads the environment for OLLAMA_HOST. It returns early, with what it
// has, when ctx ends.
func Local(ctx context.Context, lookup func(string) (string, bool)) []Found {
	var places []Found
	for _, p := range Providers() {
		if p.Local {
			places = append(places, Found{Provider: p.Name, BaseURL: baseURL(p, "", lookup)})
		}
	}
	return probe(ctx, places)
}

// probe fills in the models of the servers that answer and leaves the others
// out.
func probe(ctx context.Context, places []Found) []Found {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: the servers are near
	var wg sync.WaitGroup
	for i := range places {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, probeTime)
			defer cancel()
			places[i].Models, _ = listModels(ctx, client, places[i].BaseURL)
		})
	}
	wg.Wait()
	var found []Found
	for _, p := range places {
		if len(p.Models) > 0 {
			found = append(found, p)
		}
	}
	return found
}

// listModels asks a server for the names of its models.
func listModels(ctx context.Context, client *http.Client, base string) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("model: list of models: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("model: list of models: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("model: list of models: status %d", resp.StatusCode)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxModelList)).Decode(&list); err != nil {
		return nil, fmt.Errorf("model: list of models: %w", err)
	}
	var names []string
	for _, m := range list.Data {
		if m.ID != "" {
			names = append(names, m.ID)
		}
	}
	return names, nil
}
