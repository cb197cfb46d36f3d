package main

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
)

// remotes reaches the places where roles run elsewhere. A log keeps places
// without passwords, so they are looked up in the team file.
func (a *app) remotes(found *team) leader.Option {
	servers := map[string]*streams.Client{} // by address
	return leader.WithRemotes(func(p leader.Place) (leader.Remote, error) {
		p = inFile(found.config, p)
		switch p.Kind {
		case "streams":
			address := usualRedis(found.settings, p.Via)
			client := servers[address]
			if client == nil {
				var err error
				if client, err = dialStreams(found.settings, address); err != nil {
					return nil, err
				}
				servers[address] = client
			}
			return streams.NewRemote(client, p.Address, streams.RemoteOptions{Server: plainAddress(address)}), nil
		default:
			return nil, fmt.Errorf(a.words.noSuchPlace, p.Kind)
		}
	})
}

// inFile is the place of the team file that a log names, with all that the file
// says of it; what the file does not have stays as it is.
func inFile(file *config.Team, p leader.Place) leader.Place {
	for _, r := range file.Roles {
		full := leader.PlaceOf(r.Remote)
		if full.Plain() == p.Plain() {
			return full
		}
	}
	return p
}

// usualRedis is the address of the Redis server: one that is named, or that of
// REDIS_URL, or the usual one.
func usualRedis(s settings, named string) string {
	byEnv, _ := s.lookup("REDIS_URL")
	return cmp.Or(named, byEnv, "redis://127.0.0.1:6379/0")
}

// dialStreams makes a client of the Redis server at an address. Nothing is asked
// of it yet.
func dialStreams(s settings, address string) (*streams.Client, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err) // which does not tell the address
	}
	o.ContextTimeoutEnabled = true
	schema, _ := s.lookup("REDIS_KEY_SCHEMA_VERSION")
	return streams.NewClient(redis.NewClient(o), streams.ClientOptions{Schema: streams.Schema(schema)})
}

// plainAddress is an address without its password.
func plainAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Redacted()
}
