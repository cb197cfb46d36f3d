package streams_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/internal/freeport"
)

// launch starts a redis-server on a port of its own with a folder of its own, and
// ends it with the test. Where there is none, or an old one, the test is skipped.
func launch(t testing.TB, port string, args ...string) {
	t.Helper()
	path := redisServer(t)
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var major int
	if _, version, _ := strings.Cut(string(out), "v="); true {
		_, _ = fmt.Sscanf(version, "%d.", &major) // 0 is too old
	}
	if major < 7 {
		t.Skipf("needs redis-server 7 or later, not %s", bytes.TrimSpace(out))
	}
	var log bytes.Buffer
	cmd := exec.Command(path, append(args, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--loglevel", "warning")...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed, or its log says why not
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
	})
	eventually(t, "redis-server on port "+port, func() error {
		select {
		case <-ended:
			if strings.Contains(log.String(), "tls-port") {
				t.Skip("needs a redis-server that was built with TLS")
			}
			t.Fatalf("redis-server ended: %s", log.String())
		default:
		}
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			c.Close()
		}
		return err
	})
}

// single starts a plain server that keeps nothing, and returns its port.
func single(t testing.TB, args ...string) string {
	t.Helper()
	port := freeport.Port(t)
	launch(t, port, append([]string{"--port", port, "--save", ""}, args...)...)
	return port
}

// secured starts a server with TLS that wants certificates of its clients, and
// returns where it is and the settings that an address needs for it.
func secured(t testing.TB) (host, files string) {
	t.Helper()
	dir, port := t.TempDir(), freeport.Port(t)
	certify(t, dir)
	name := func(file string) string { return filepath.Join(dir, file) }
	launch(t, port, "--port", "0", "--save", "", "--tls-port", port, "--tls-auth-clients", "yes",
		"--tls-ca-cert-file", name("ca.pem"), "--tls-cert-file", name("server.pem"), "--tls-key-file", name("server.key"))
	return "127.0.0.1:" + port, fmt.Sprintf("ssl_ca_certs=%s&ssl_certfile=%s&ssl_keyfile=%s", name("ca.pem"), name("client.pem"), name("client.key"))
}

// certify writes an authority, and what it says of a server on this machine and of
// a client.
func certify(t testing.TB, dir string) {
	t.Helper()
	var authority tls.Certificate
	for i, name := range []string{"ca", "server", "client"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		cert := &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 1)), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			BasicConstraintsValid: true, IsCA: i == 0, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		}
		if i == 0 {
			authority = tls.Certificate{PrivateKey: key, Leaf: cert}
		}
		der, err := x509.CreateCertificate(rand.Reader, cert, authority.Leaf, key.Public(), authority.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		writePEM(t, filepath.Join(dir, name+".pem"), "CERTIFICATE", der)
		writePEM(t, filepath.Join(dir, name+".key"), "PRIVATE KEY", secret)
	}
}

func writePEM(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// watched starts a master, a replica and a Sentinel that knows both. It returns
// the address of the Sentinel, and what puts the replica into the master's place
// as an operator does it: first nothing more is written to the master.
func watched(t testing.TB) (address string, failover func()) {
	t.Helper()
	master := single(t)
	replica := single(t, "--replicaof", "127.0.0.1 "+master, "--repl-diskless-sync-delay", "0")
	eventually(t, "the replica", func() error {
		if info := dial(t, "127.0.0.1:"+replica).Info(context.Background(), "replication").Val(); !strings.Contains(info, "master_link_status:up") {
			return errors.New(info)
		}
		return nil
	})
	port := freeport.Port(t)
	conf := filepath.Join(t.TempDir(), "sentinel.conf") // a Sentinel writes into it
	text := fmt.Sprintf("port %s\nsentinel monitor main 127.0.0.1 %s 1\nsentinel down-after-milliseconds main 5000\n", port, master)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	launch(t, port, conf, "--sentinel")
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: "127.0.0.1:" + port})
	t.Cleanup(func() { sentinel.Close() })
	return "redis://127.0.0.1:" + port + "?master_name=main", func() {
		ctx := context.Background()
		if err := dial(t, "127.0.0.1:"+master).Do(ctx, "CLIENT", "PAUSE", "60000", "WRITE").Err(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the Sentinel to find the replica good", func() error { return sentinel.Failover(ctx, "main").Err() })
		eventually(t, "the failover", func() error {
			at, err := sentinel.GetMasterAddrByName(ctx, "main").Result()
			if err == nil && at[1] != replica {
				return fmt.Errorf("the master is at port %s", at[1])
			}
			return err
		})
	}
}

// cluster starts a Redis Cluster of three masters and returns its address.
func cluster(t testing.TB) string {
	t.Helper()
	ctx := context.Background()
	var nodes []*redis.Client
	var ports, buses []string
	for range 3 {
		bus := freeport.Port(t)
		port := single(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "5000", "--cluster-port", bus)
		nodes, ports, buses = append(nodes, dial(t, "127.0.0.1:"+port)), append(ports, port), append(buses, bus)
	}
	for i, node := range nodes {
		first, last := i*16384/3, (i+1)*16384/3-1
		if err := node.ClusterAddSlotsRange(ctx, first, last).Err(); err != nil {
			t.Fatal(err)
		}
		if err := node.Do(ctx, "CLUSTER", "MEET", "127.0.0.1", ports[0], buses[0]).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, node := range nodes {
		eventually(t, "the cluster", func() error {
			info := node.ClusterInfo(ctx).Val()
			if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_slots_ok:16384") {
				return nil
			}
			return errors.New(info)
		})
	}
	return "redis+cluster://127.0.0.1:" + ports[0]
}
