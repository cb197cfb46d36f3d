package main

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/gateway/studio"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/prompts"
)

// remotePool is how many agents at a Redis server may be listened to at once.
const remotePool = 128

// remotes reaches the places where roles run elsewhere. A log keeps places
// without passwords, so they are looked up in the team file.
func (a *app) remotes(found *team) leader.Option {
	return leader.WithRemotes(func(p leader.Place) (leader.Remote, error) {
		p = inFile(found.config, p)
		token := ""
		if p.TokenEnv != "" {
			var ok bool
			if token, ok = found.settings.lookup(p.TokenEnv); !ok || token == "" {
				return nil, fmt.Errorf(a.words.noToken, p.TokenEnv)
			}
		}
		switch p.Kind {
		case "streams":
			return a.atRedis(found, p)
		case "studio":
			return studio.NewRemote(studio.RemoteOptions{URL: p.Address, Token: token})
		case "envelope":
			return envelope.NewRemote(envelope.RemoteOptions{URL: p.Address, Token: token, Words: prompts.In(found.lang), Now: a.Now})
		default:
			return nil, fmt.Errorf(a.words.noSuchPlace, p.Kind)
		}
	})
}

// redisPasswords is what must not stand in a log of the address.
func redisPasswords(found *team) []string {
	u, err := url.Parse(usualRedis(found.config.Worker, found.settings).Redis)
	if err != nil || u.User == nil {
		return nil
	}
	if password, ok := u.User.Password(); ok && password != "" {
		return []string{password}
	}
	return nil
}

// atRedis is the place of workers on Redis Streams. Nothing is asked of the
// server yet.
func (a *app) atRedis(found *team, p leader.Place) (leader.Remote, error) {
	usual := usualRedis(found.config.Worker, found.settings)
	address := cmp.Or(p.Via, usual.Redis)
	conn := a.servers[address]
	if conn == nil {
		var err error
		if conn, err = streams.Open(address, usual.Schema, remotePool); err != nil {
			return nil, err
		}
		if a.servers == nil {
			a.servers = map[string]*streams.Connection{}
			streams.LogDriver(zerolog.Nop())
		}
		a.servers[address] = conn
	}
	client, err := streams.NewClient(conn.Redis, streams.ClientOptions{Schema: conn.Schema})
	if err != nil {
		return nil, err
	}
	return streams.NewRemote(client, p.Address, streams.RemoteOptions{Server: "Redis at " + conn.Host}), nil
}

// hangUp ends the connections to servers.
func (a *app) hangUp() {
	for _, conn := range a.servers {
		_ = conn.Close()
	}
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
