package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	openai "github.com/sashabaranov/go-openai"
)

// Defaults of an [Endpoint].
const (
	DefaultTimeout  = 10 * time.Minute
	DefaultMaxConns = 8
)

// Endpoint is a model at an address that speaks the OpenAI chat protocol.
type Endpoint struct {
	// Provider is a name from [Providers]; empty means openai-compatible.
	Provider string
	// Model is the provider's name for the model.
	Model string
	// BaseURL is the address up to "/chat/completions"; empty means the
	// provider's own.
	BaseURL string
	// Key is sent as bearer token; empty sends none.
	Key string
	// KeyEnv is the variable that Key came from; only hints name it.
	KeyEnv string
	// Temperature is sent if it is not nil.
	Temperature *float64
	// MaxOutputTokens bounds each reply; 0 leaves it to the provider.
	// [Request.MaxOutputTokens] goes before it.
	MaxOutputTokens int
	// Timeout bounds the whole call, the reply's last piece included; 0 means
	// [DefaultTimeout], or twice Stall if that is longer.
	Timeout time.Duration
	// Stall bounds how long a reply makes no progress, from the request on;
	// comments and empty pieces are none. 0 means [DefaultStall], a negative
	// number no bound.
	Stall time.Duration
	// Extra is put into the request body as it is, over everything else.
	Extra map[string]any
	// Profile says in what the endpoint differs; the zero value means what is
	// usual for the provider.
	Profile Profile
	// Transport carries the requests; nil means one of the client's own, as
	// [NewTransport] makes it.
	Transport http.RoundTripper
	// MaxConns is how many idle connections are kept for the next call; 0
	// means [DefaultMaxConns].
	MaxConns int
}

// NewTransport returns a transport that keeps up to maxConns idle connections
// to a host, for clients that share one or want to close them.
func NewTransport(maxConns int) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok { // the program may have put another there
		t = usual.Clone()
	}
	t.MaxIdleConns = 0 // no bound over all hosts
	t.MaxIdleConnsPerHost = maxConns
	t.WriteBufferSize = writeBuffer
	return t
}

// writeBuffer holds the request of a short conversation, so that it goes out in
// one write.
const writeBuffer = 16 << 10

// NewOpenAI returns a client of the endpoint. It fails for an endpoint without
// a model or a usable address; it does not connect.
func NewOpenAI(e Endpoint) (Client, error) {
	a, err := newAdapter(e)
	if err != nil {
		return nil, err
	}
	return a, nil
}

func newAdapter(e Endpoint) (*adapter, error) {
	e, err := e.complete()
	if err != nil {
		return nil, err
	}
	address, err := parseBaseURL(e.BaseURL)
	if err != nil {
		return nil, err
	}
	a := &adapter{endpoint: e, address: address, http: &http.Client{Transport: e.Transport, CheckRedirect: sameHost}}
	a.config, a.header = clientConfig(e, address)
	if a.fields, err = extraFields(e); err != nil {
		return nil, err
	}
	return a, nil
}

// complete is the endpoint with all defaults, or says what no default can
// replace.
func (e Endpoint) complete() (Endpoint, error) {
	if e.Model == "" {
		return e, errors.New("model: endpoint without a model")
	}
	if e.Timeout < 0 || e.MaxOutputTokens < 0 || e.MaxConns < 0 {
		return e, errors.New("model: endpoint with a negative timeout, output limit or number of connections")
	}
	if strings.ContainsFunc(e.Key, unicode.IsControl) {
		return e, errors.New("model: the key has a line break or another control character; check its variable")
	}
	e.Provider = cmp.Or(e.Provider, providerCompatible)
	if e.BaseURL == "" {
		p, _ := FindProvider(e.Provider)
		e.BaseURL = p.BaseURL
	}
	e.Stall = cmp.Or(e.Stall, DefaultStall)
	e.Timeout = cmp.Or(e.Timeout, max(DefaultTimeout, 2*e.Stall))
	e.MaxConns = cmp.Or(e.MaxConns, DefaultMaxConns)
	if e.Transport == nil {
		e.Transport = NewTransport(e.MaxConns)
	}
	e.Profile = cmp.Or(e.Profile, FamilyProfile(e.Provider))
	return e, nil
}

// parseBaseURL checks an address; people paste it with the path of the call.
func parseBaseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("model: endpoint without a base URL")
	}
	u, err := url.Parse(strings.TrimSuffix(strings.TrimRight(text, "/"), "/chat/completions"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("model: base URL is no http or https address; write it like https://api.example.com/v1")
	}
	return u, nil
}

// sameHost follows a redirect only to the same host, so that a key and a
// conversation go nowhere else, and only with the conversation.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.Method != via[0].Method {
		return http.ErrUseLastResponse
	}
	return nil
}

// extraFields are the body fields that do not depend on the request.
func extraFields(e Endpoint) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(e.Extra)+2)
	set := func(name string, value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("model: body field %s: %w", name, err)
		}
		out[name] = text
		return nil
	}
	if e.Temperature != nil {
		if err := set("temperature", *e.Temperature); err != nil {
			return nil, err
		}
	}
	for name, value := range e.Extra {
		if err := set(name, value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// clientConfig sets go-openai up, and returns the headers that it does not
// send.
func clientConfig(e Endpoint, address *url.URL) (openai.ClientConfig, http.Header) {
	config := openai.DefaultConfig(e.Key)
	header := http.Header{}
	switch {
	case e.Provider != providerAzure:
	case strings.HasSuffix(address.Path, "/v1"):
		header.Set(openai.AzureAPIKeyHeader, e.Key)
		config = openai.DefaultConfig("")
	default:
		config = openai.DefaultAzureConfig(e.Key, "")
		config.APIVersion = azureVersion
		config.AzureModelMapperFunc = func(deployment string) string { return deployment }
	}
	config.BaseURL = address.String()
	config.EmptyMessagesLimit = math.MaxInt32 // keep-alive lines are no reason to stop
	return config, header
}

// azureVersion is the version of the deployment API that Azure is asked for,
// the newest that is not a preview.
const azureVersion = "2024-10-21"
