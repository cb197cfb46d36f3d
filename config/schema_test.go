package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/troupe-go/troupe/config"
)

// resolvedSchema returns the schema, ready to check files.
func resolvedSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(config.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// instance returns a file as JSON data.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSchemaTakesGoodTeams(t *testing.T) {
	schema := resolvedSchema(t)
	eachArchive(t, "testdata/teams/*.txtar", func(t *testing.T, a archive) {
		if err := schema.Validate(instance(t, a.files["team.yaml"].Data)); err != nil {
			t.Error(err)
		}
	})
}

func TestSchemaRefusesWhatParseRefuses(t *testing.T) {
	schema := resolvedSchema(t)
	for _, text := range []string{
		"modell: x", "version: 2", "name: [a]", "models: {a: {provider: p}}", "models: {a: {provider: p, model: m, rate: {rpm: 1}}}", "models: {a: {provider: p, model: m, compact_at: 80}}", "models: {a: {provider: p, model: m, profile: {num_ctx: 0}}}",
		"limits: {agents: many}", "limits: {agents: 0}", "limits: {ask_timeout: 90}", "display: {ascii: yes}", "display: {lang: fr}",
		"roles: [a]", "roles: {a: sentence}", "roles: {a: {tool: []}}", "roles: {a: {tools: read_file}}", "roles: {a: {code: FSE}}", "roles: {a: {code: tl}}",
		"models: {a: {provider: p, model: m, api_key_env: sk-abc}}", "models: {a: {provider: p, model: m, price: {input: 1}}}", "mcp: {}", "context: AGENTS.md",
	} {
		if _, err := config.Parse("team.yaml", []byte(text+"\n"), nil, config.Known{}); err == nil {
			t.Errorf("Parse(%s): no error, want one", text)
		}
		if err := schema.Validate(instance(t, []byte(text))); err == nil {
			t.Errorf("Validate(%s): no error, want one", text)
		}
	}
}

func TestSchemaNamesEveryKeyThatIsKnown(t *testing.T) {
	text := string(config.Schema())
	for key := range strings.FieldsSeq(`version name description params default help model models provider base_url api_key_env
		temperature max_output_tokens timeout retry max base cap extra price currency input cached_input output model_aliases leader prompt
		max_steps wake_on tools roles does code max_instances may_ask workdir roles_from context limits agents spawns depth steps
		tokens budget deadline ask_timeout tool_timeout parallel inbox transcript dir sync display lang view ambiguous_width ascii
		rate requests_per_minute tokens_per_minute concurrent fallback profile echo_reasoning schema_dialect stall retry_wait_cap retry_after_text
		compact_at context_window num_ctx redact keep permissions client_tools deny allow ask headless remote streams token_env
		serve listen tls_cert tls_key tokens token_key_env token_life workspace audit origins hosts max_sessions grace connections
		connections_per_user files_per_user messages_per_second message_burst bytes_per_second byte_burst client studio envelope path
		on_disconnect verbose iterations dedupe_ttl wait dialects
		worker redis agent_type id group schema concurrency max_deliver drain lease events health`) {
		if !strings.Contains(text, `"`+key+`": {`) {
			t.Errorf("the schema has no key %s", key)
		}
	}
	for _, key := range []string{"mcp", "sandbox"} {
		if strings.Contains(text, `"`+key+`": {`) {
			t.Errorf("the schema has the key %s, which this version does not honour", key)
		}
	}
}
