package config

import (
	"fmt"
	"slices"
)

// Remote says where the workers of a role run; the zero value is here.
type Remote struct {
	// Kind is "streams", "studio" or "envelope"; empty for here.
	Kind string
	// Address is an agent type on Redis Streams, or the address of a server.
	Address string
	// Redis is the address of the server for streams; empty for the usual one.
	Redis string
	// TokenEnv is the name of the variable that holds the token; may be empty.
	TokenEnv string
}

// remoteKeys are what the keys of remote say: one place, and how to get there.
type remoteKeys struct{ streams, studio, envelope, redis, tokenEnv string }

// remoteTable lists the keys of remote.
func remoteTable() table[remoteKeys] {
	return table[remoteKeys]{"a remote role", []field[remoteKeys]{
		key("streams", "The agent type of workers on Redis Streams (by-framework), of Troupe or of others.", agentType(), func(r *remoteKeys) *string { return &r.streams }).or("agent_type", "type", "by_framework"),
		key("studio", "The address of an agent that speaks the studio protocol: ws://host/path.", remoteAddress("wss://host/studio", "ws", "wss"), func(r *remoteKeys) *string { return &r.studio }).or("ws", "websocket"),
		key("envelope", "The address that takes envelopes: https://host/envelope.", remoteAddress("https://host/envelope", "http", "https"), func(r *remoteKeys) *string { return &r.envelope }).or("http", "https", "url"),
		key("redis", "The Redis server of streams, if it is not the usual one (REDIS_URL).", redisAddress(), func(r *remoteKeys) *string { return &r.redis }).or("redis_url"),
		key("token_env", "The name of the variable that holds the token of studio and envelope; never a token.", keyVariable(), func(r *remoteKeys) *string { return &r.tokenEnv }).or("token", "api_key_env", "key"),
	}}
}

// remote is where the workers of a role run.
func remote() kind[Remote] {
	one := object(remoteTable())
	return kind[Remote]{want: one.want, schema: one.schema, read: func(r *reader, v value) (Remote, bool) {
		keys, ok := one.read(r, v)
		if !ok || v.kind != mappingNode {
			return Remote{}, false
		}
		var given []Remote
		for _, place := range []Remote{{Kind: "streams", Address: keys.streams}, {Kind: "studio", Address: keys.studio}, {Kind: "envelope", Address: keys.envelope}} {
			if v.holds(place.Kind) {
				given = append(given, place)
			}
		}
		if len(given) != 1 {
			found := "none"
			switch {
			case len(given) > 1:
				found = given[0].Kind + " and " + given[1].Kind
			case slices.ContainsFunc(v.entries, func(e entry) bool { _, known := remoteTable().field(e.key); return !known }):
				return Remote{}, false // the wrong key has been told
			}
			r.missing(v, fmt.Sprintf("%s: found %s, wanted one of streams, studio and envelope", v.path, found), "write {streams: AGENT_TYPE}, {studio: ws://…} or {envelope: http://…}")
			return Remote{}, false
		}
		out := given[0]
		out.Redis, out.TokenEnv = keys.redis, keys.tokenEnv
		switch {
		case out.Kind != "streams" && v.holds("redis"):
			r.problem(v, fmt.Sprintf("%s: %s needs no redis", v.path, out.Kind), "remove the key redis")
		case out.Kind == "streams" && v.holds("token_env"):
			r.problem(v, v.path+": streams needs no token_env", "name and password of the server stand in its address: redis: ${NAME}")
		}
		return out, out.Address != ""
	}}
}

// checkRemote reports what a role that runs elsewhere cannot have from here. In
// a role file, which others may read too, that is a warning.
func (r *reader) checkRemote(d *definition, file bool) {
	role := &d.role
	if role.Remote.Kind == "" {
		return
	}
	for _, f := range []struct {
		key string
		set bool
	}{{"prompt", role.Prompt != ""}, {"model", role.Model != ""}, {"tools", role.Tools != nil}, {"workdir", role.WorkDir != ""}} {
		p := Problem{
			Path: "roles." + role.ID + "." + f.key, Message: fmt.Sprintf("a role that runs elsewhere has no %s from here", f.key),
			Hint: "what it is made of is known where it runs; remove it",
		}
		switch {
		case f.set && file:
			d.src.warn(p, d.place(f.key))
		case f.set:
			d.src.add(p, d.place(f.key), false)
		}
	}
	role.Prompt, role.Model, role.Tools, role.WorkDir = "", "", nil, ""
}
