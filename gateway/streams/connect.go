package streams

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

// Why there is no connection.
var (
	ErrAddress     = errors.New("streams: the address of Redis cannot be read")
	ErrUnreachable = errors.New("streams: Redis does not answer")
	ErrLogin       = errors.New("streams: Redis does not take the user or the password")
)

// ErrPool says that a worker would wait for connections that its own blocked reads hold.
var ErrPool = errors.New("streams: the pool of connections to Redis is too small")

// Connection is a Redis.
type Connection struct {
	Redis  redis.UniversalClient
	Schema Schema // what was asked for, or what fits: V2 for a cluster
	Host   string // where it is, for people
}

// Connect connects to the Redis at a URL as [Open] does, and asks it for a sign
// of life until ctx ends. The error may be ErrUnreachable or ErrLogin too.
func Connect(ctx context.Context, address, schema string, pool int) (*Connection, error) {
	c, err := Open(address, schema, pool)
	if err != nil {
		return nil, err
	}
	if err := c.Redis.Ping(ctx).Err(); err != nil {
		why := ErrUnreachable
		if redis.HasErrorPrefix(err, "WRONGPASS") || redis.HasErrorPrefix(err, "NOAUTH") || redis.HasErrorPrefix(err, "NOPERM") {
			why = ErrLogin
		}
		return nil, errors.Join(fmt.Errorf("%w at %s: %w", why, c.Host, err), c.Close())
	}
	return c, nil
}

// Open makes a connection to the Redis at a URL, which connects when it is used.
// The URL is redis:// or rediss:// (TLS), with user, password and
// database as usual; or unix://; with ?master_name= through Sentinels, whose
// addresses are the host and each addr= (their own user and password stand before
// the host, those of Redis are username= and password=); with ?addr=, or as
// redis+cluster://, a Redis Cluster. With TLS ssl_ca_certs= names a file with the
// authorities to trust instead of the system's, ssl_certfile= and ssl_keyfile= those
// with what the client shows: the names that redis-py has for them. Other settings of
// go-redis are taken from the query as it does, for example dial_timeout=3s. So many
// connections can be open at once, 0 for what is usual. The error is ErrAddress or
// ErrSchema, and has no password in it.
func Open(address, schema string, pool int) (*Connection, error) {
	s, err := ParseSchema(schema)
	if err != nil {
		return nil, err
	}
	rdb, host, err := dial(address, pool)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrAddress, strings.TrimPrefix(err.Error(), "redis: "))
	}
	if _, cluster := rdb.(*redis.ClusterClient); cluster && schema == "" {
		s = V2
	}
	return &Connection{Redis: rdb, Schema: s, Host: host}, nil
}

// Close ends the connection.
func (c *Connection) Close() error { return c.Redis.Close() }

// dial makes the client for a URL, which connects when it is used. Deadlines of
// contexts count for it, which go-redis leaves out by default.
func dial(address string, pool int) (rdb redis.UniversalClient, host string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, "", errors.New("it is no URL") // the error has all of it
	}
	scheme, cluster := strings.CutSuffix(u.Scheme, "+cluster")
	u.Scheme = scheme
	query := u.Query()
	trust, err := takeTrust(u, query)
	if err != nil {
		return nil, "", err
	}
	switch {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(u.String())
		if err != nil {
			return nil, "", err
		}
		trust.apply(o.TLSConfig)
		anyServer(o.TLSConfig)
		o.ContextTimeoutEnabled, o.PoolSize = true, max(o.PoolSize, pool)
		return redis.NewFailoverClient(o), strings.Join(o.SentinelAddrs, ","), nil
	case cluster, query.Has("addr"):
		o, err := redis.ParseClusterURL(u.String())
		if err != nil {
			return nil, "", err
		}
		trust.apply(o.TLSConfig)
		anyServer(o.TLSConfig)
		o.ContextTimeoutEnabled, o.PoolSize = true, max(o.PoolSize, pool)
		return redis.NewClusterClient(o), strings.Join(o.Addrs, ","), nil
	}
	o, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, "", err
	}
	trust.apply(o.TLSConfig)
	o.ContextTimeoutEnabled, o.PoolSize = true, max(o.PoolSize, pool)
	return redis.NewClient(o), o.Addr, nil
}

// checkPool refuses a pool that the blocked reads of a worker fill: they hold a
// connection for each agent type and one more. go-redis has 10 for each processor
// unless it is told.
func checkPool(rdb redis.UniversalClient, agentTypes int) error {
	var size int
	switch c := rdb.(type) {
	case *redis.Client:
		size = c.Options().PoolSize
	case *redis.ClusterClient:
		size = c.Options().PoolSize
	default:
		return nil // nobody knows
	}
	if least := agentTypes + 2; size < least {
		return fmt.Errorf("%w: PoolSize is %d; a worker of %d agent types needs %d, and one more for each run that speaks at the same time", ErrPool, size, agentTypes, least)
	}
	return nil
}

// LogDriver sends what go-redis says by itself to a logger, at level debug, for
// the whole process: it has one log, which goes to stderr otherwise. A program
// calls it once.
func LogDriver(log zerolog.Logger) { redis.SetLogger(driverLog{log}) }

type driverLog struct{ log zerolog.Logger }

func (d driverLog) Printf(_ context.Context, format string, values ...any) {
	d.log.Debug().Str("err", fmt.Sprintf(format, values...)).Msg("go-redis")
}
