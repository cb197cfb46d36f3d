package model_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/model"
)

// TestNoSuchModel: in whatever words an endpoint says that it has no such
// model, the error is of one class and names a way out.
func TestNoSuchModel(t *testing.T) {
	tests := []struct {
		provider string
		status   int
		body     string
		class    string
		hint     string
	}{
		{"openai", 404, `{"error":{"message":"The model ` + "`m`" + ` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, model.ClassNoModel, `check the model name "m"`},
		{"openai", 403, `{"error":{"message":"Project p does not have access to model m","code":"model_not_found"}}`, model.ClassNoModel, "troupe models list"},
		{"deepseek", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, model.ClassNoModel, "troupe models list"},
		{"ark", 404, `{"error":{"code":"InvalidEndpointOrModel.NotFound","message":"The model or endpoint m does not exist or you do not have access to it."}}`, model.ClassNoModel, `"m"`},
		{"moonshot", 404, `{"error":{"message":"Not found the model m or Permission denied","type":"resource_not_found_error"}}`, model.ClassNoModel, `"m"`},
		{"zhipu", 400, `{"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}`, model.ClassNoModel, `"m"`},
		{"openrouter", 400, `{"error":{"message":"m is not a valid model ID","code":400}}`, model.ClassNoModel, `"m"`},
		{"gemini", 404, `[{"error":{"code":404,"message":"models/m is not found for API version v1main, or is not supported for generateContent."}}]`, model.ClassNoModel, `"m"`},
		{"ollama", 404, `{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error"}}`, model.ClassNoModel, "ollama pull m"},
		{"ollama", 404, `{"error":"model 'm' not found"}`, model.ClassNoModel, "ollama pull m"},
		{"vllm", 404, `{"object":"error","message":"The model ` + "`m`" + ` does not exist.","type":"NotFoundError","param":null,"code":404}`, model.ClassNoModel, "what the server has"},
		{"lmstudio", 400, `{"error":{"message":"Invalid model identifier \"m\". Please specify a valid downloaded model"}}`, model.ClassNoModel, "what the server has"},
		{"azure", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, model.ClassNoModel, `"m"`},
		{"openai-compatible", 200, `{"error":{"message":"model m not found","code":404}}`, model.ClassNoModel, "troupe models list"},
		{"openai-compatible", 404, "404 page not found\n", model.ClassNoModel, "which must end where /chat/completions begins"},
		{"openai-compatible", 405, "", model.ClassNoModel, "check the base URL"},
		// What is about a model but not about whether there is one.
		{"openai", 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`, model.ClassBadRequest, ""},
		{"openai", 400, `{"error":{"message":"This model does not support tools"}}`, model.ClassBadRequest, ""},
		{"openai", 400, `{"error":{"message":"The model produced no tool call, and call_1 was not found in the messages"}}`, model.ClassBadRequest, ""},
		{"openai", 401, `{"error":{"message":"The model m does not exist for this key"}}`, model.ClassAuth, "check the key"},
	}
	for _, tt := range tests {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		}))
		e := asError(t, ask(t, newOpenAI(t, model.Endpoint{Provider: tt.provider, Model: "m", BaseURL: server.URL + "/v1", Key: "sk-secret-1234"})).Err)
		server.Close()
		if e.Class != tt.class || !strings.Contains(e.Hint, tt.hint) || e.Retryable {
			t.Errorf("%s, %d %s: error %v, want class %s with %q in the hint", tt.provider, tt.status, tt.body, e, tt.class, tt.hint)
		}
	}
}

// TestHintsOfAnAddress: what is wrong with an address is said, with the address
// but without what is secret in it; what no retry can mend is not retried.
func TestHintsOfAnAddress(t *testing.T) {
	for _, tt := range []struct {
		err       error
		hint      string
		retryable bool
	}{
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "models.test", IsNotFound: true}}, "check the host name in the base URL https://models.test/v1, and the network", true},
		{http.ErrSchemeMismatch, "does not speak https", false},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "does not speak https", false},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "not trusted", false},
		{x509.UnknownAuthorityError{}, "not trusted", false},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "nothing listens at models.test", true},
		{io.ErrUnexpectedEOF, "check the network and the base URL https://models.test/v1", true},
	} {
		c := newOpenAI(t, model.Endpoint{Model: "m", BaseURL: "https://user:pass@models.test/v1?key=secret", Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return nil, tt.err
		})})
		e := asError(t, ask(t, c).Err)
		if e.Class != model.ClassTransport || e.Retryable != tt.retryable || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%v: error %+v, want class transport, retryable %v, %q in the hint", tt.err, e, tt.retryable, tt.hint)
		}
		if strings.Contains(e.Error(), "pass") || strings.Contains(e.Error(), "secret") {
			t.Errorf("error %q holds what is secret in the address", e)
		}
	}
}

// TestARedirectKeepsTheConversation: a redirect on the same host is followed
// only where the conversation goes along.
func TestARedirectKeepsTheConversation(t *testing.T) {
	for status, follows := range map[int]bool{http.StatusMovedPermanently: false, http.StatusFound: false, http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/new") {
				http.Redirect(w, r, "/new"+r.URL.Path+"?token=secret", status)
				return
			}
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"` + r.Method + `"},"finish_reason":"stop"}]}`))
		}))
		got := ask(t, newOpenAI(t, model.Endpoint{Model: "m", BaseURL: server.URL + "/v1"}))
		server.Close()
		switch {
		case follows && got.Text != http.MethodPost:
			t.Errorf("%d: text %q, error %v, want the redirect to be followed", status, got.Text, got.Err)
		case !follows:
			e := asError(t, got.Err)
			if e.Class != model.ClassNoModel || !strings.Contains(e.Message, "redirects to /new/v1/chat/completions") || strings.Contains(e.Error(), "secret") {
				t.Errorf("%d: error %v, want where it leads, without what may be secret", status, e)
			}
		}
	}
}
