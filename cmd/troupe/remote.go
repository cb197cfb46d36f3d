package main

import (
	"cmp"
	"fmt"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
)

// remotePool is how many agents at a Redis server may be listened to at once.
const remotePool = 128

// remotes reaches the places where roles run elsewhere. A log keeps places
// without passwords, so they are looked up in the team file.
func (a *app) remotes(found *team) leader.Option {
	servers := map[string]*streams.Connection{} // by address
	return leader.WithRemotes(func(p leader.Place) (leader.Remote, error) {
		p = inFile(found.config, p)
		switch p.Kind {
		case "streams":
			address := usualRedis(found, p.Via)
			conn := servers[address]
			if conn == nil {
				schema, _ := found.settings.lookup("REDIS_KEY_SCHEMA_VERSION")
				var err error
				if conn, err = streams.Open(address, cmp.Or(found.config.Worker.Schema, schema), remotePool); err != nil {
					return nil, err
				}
				servers[address] = conn
			}
			client, err := streams.NewClient(conn.Redis, streams.ClientOptions{Schema: conn.Schema})
			if err != nil {
				return nil, err
			}
			return streams.NewRemote(client, p.Address, streams.RemoteOptions{Server: "Redis at " + conn.Host}), nil
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
// the team's worker, or that of REDIS_URL, or the usual one.
func usualRedis(found *team, named string) string {
	byEnv, _ := found.settings.lookup("REDIS_URL")
	return cmp.Or(named, found.config.Worker.Redis, byEnv, defaultRedis)
}
