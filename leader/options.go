package leader

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// Option changes how [New] or [Load] makes a team.
type Option func(*options)

type options struct {
	tools    []tools.Tool
	env      func(string) (string, bool)
	params   map[string]string
	models   map[string]Model
	model    string
	fallback string
	runDir   string
	workDir  string
	lang     string
	sync     string
	secrets  []string
	redact   []string
	logger   zerolog.Logger
	now      func() time.Time
	override func(*Team)
	program  string
	limiters *model.Limiters              // of all models of the team
	adaptive map[string][]*model.Adaptive // clients that learn, by provider/model
	task     string                       // what the person adds when a run is resumed
	request  string                       // names the command with the task
	folder   string                       // below runDir, in place of the run's id
	meta     map[string]string
	remotes  func(Place) (Remote, error)

	trace       string
	clientTools []ClientTool

	maxResult int

	attendance Attendance
}

func newOptions(opts []Option) options {
	o := options{env: os.LookupEnv, now: time.Now, program: "troupe (library)", limiters: model.NewLimiters(0), adaptive: map[string][]*model.Adaptive{}, attendance: Attended}
	for _, opt := range opts {
		if opt != nil { // as one that a condition left out
			opt(&o)
		}
	}
	return o
}

// WithTools adds tools of your own. Roles that list tools get those they
// list, all others get every one.
func WithTools(ts ...tools.Tool) Option {
	return func(o *options) { o.tools = append(o.tools, ts...) }
}

// WithEnv replaces the environment that a team file's references and keys are
// looked up in; the default is [os.LookupEnv].
func WithEnv(lookup func(string) (string, bool)) Option { return func(o *options) { o.env = lookup } }

// WithParams sets parameters of the team file, as -p does.
func WithParams(params map[string]string) Option { return func(o *options) { o.params = params } }

// WithModel makes [Load] use the model with this name or provider/model in
// place of the team file's, and [New] this provider/model in place of the
// team's.
func WithModel(ref string) Option { return func(o *options) { o.model = ref } }

// WithDefaultModel makes [Load] use the model for all who name none, when the
// team file and OPENAI_MODEL name none either.
func WithDefaultModel(ref string) Option { return func(o *options) { o.fallback = ref } }

// WithClient makes [Load] use client for every model reference ref (a
// provider/model or a name in the team file), for example a model of your own
// or one of package modeltest.
func WithClient(ref string, m Model) Option {
	return func(o *options) {
		if o.models == nil {
			o.models = map[string]Model{}
		}
		o.models[ref] = m
	}
}

// WithRunDir writes each run's log into a new folder below dir, named by the
// run's id. Without it the log is kept in memory.
func WithRunDir(dir string) Option { return func(o *options) { o.runDir = dir } }

// WithRunFolder names the folder that [WithRunDir] makes for the log, in place of
// the run's id: one name without separators. [Leader.Start] fails with
// [transcript.ErrExists] when the folder has a log.
func WithRunFolder(name string) Option { return func(o *options) { o.folder = name } }

// WithMeta notes something of the run in the header of its log
// ([event.RunStarted.Meta]), such as whose it is: tools and agents elsewhere are
// told [event.NoteUser] and [event.NoteProject].
func WithMeta(meta map[string]string) Option { return func(o *options) { o.meta = meta } }

// WithRequest names the command that has the task, as its sender does. [Resume]
// with a name that the run has had fails with [ErrRepeated].
func WithRequest(id string) Option { return func(o *options) { o.request = id } }

// WithTrace sets the trace to which a run belongs that begins, as 32 hex digits;
// empty makes one.
func WithTrace(id string) Option { return func(o *options) { o.trace = id } }

// WithWorkDir sets the folder that the workspace tools work in; the default
// is the current folder. Tools cannot leave it.
func WithWorkDir(dir string) Option { return func(o *options) { o.workDir = dir } }

// WithTask gives a run that is resumed ([Resume]) more to do: a message of the
// person to the leader.
func WithTask(text string) Option { return func(o *options) { o.task = text } }

// WithLang sets the language of the prompts and of the runtime's own words:
// "en" (the default) or "zh".
func WithLang(lang string) Option { return func(o *options) { o.lang = lang } }

// WithSync says how often the log file is synced: "normal" (the default),
// "always" or "off".
func WithSync(mode string) Option { return func(o *options) { o.sync = mode } }

// WithSecrets names values that must never stand in the log; keys that [Load]
// reads are among them anyway.
func WithSecrets(values ...string) Option {
	return func(o *options) { o.secrets = append(o.secrets, values...) }
}

// WithRedact adds regular expressions of what must never stand in the log, as
// transcript.redact of a team file does. What looks like a secret, such as a
// bearer token or a private key, never does anyway.
func WithRedact(expressions ...string) Option {
	return func(o *options) { o.redact = append(o.redact, expressions...) }
}

// WithMaxResult sets the length in bytes from which on a tool's result is put
// into a file beside a log that [WithRunDir] writes; the log and the model get
// so many bytes of it, from its beginning and its end. The default is 256 KiB,
// a negative number is no bound.
func WithMaxResult(bytes int) Option { return func(o *options) { o.maxResult = bytes } }

// WithLogger sets the log for operators; silent without it.
func WithLogger(l zerolog.Logger) Option { return func(o *options) { o.logger = l } }

// WithSlog sends the log for operators to a [slog.Logger].
func WithSlog(l *slog.Logger) Option {
	return func(o *options) { o.logger = slogBridge(l) }
}

// WithOverride changes the team that [Load] or [Resume] read, or that [New] was
// given, before it is checked, for example to change limits.
func WithOverride(change func(*Team)) Option { return func(o *options) { o.override = change } }

// WithProgram names the program and its version in the header of the log.
func WithProgram(name string) Option { return func(o *options) { o.program = name } }

// mask hides in the log what the options name, and what looks like a secret.
func (o options) mask() (*transcript.Mask, error) {
	redact := make([]*regexp.Regexp, len(o.redact))
	for i, text := range o.redact {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("leader: redact: %w", err)
		}
		redact[i] = re
	}
	return transcript.NewMask(o.secrets...).WithPatterns(redact...), nil
}

// metaOf is the inverse of metaJSON; what another program noted is left out.
func metaOf(text json.RawMessage) map[string]string {
	var meta map[string]string
	if json.Unmarshal(text, &meta) != nil {
		return nil
	}
	return meta
}

// told is the part of the notes of a run that tools and agents elsewhere hear of.
func told(meta map[string]string) map[string]string {
	part := maps.Clone(meta)
	maps.DeleteFunc(part, func(name, text string) bool {
		return text == "" || name != event.NoteUser && name != event.NoteProject
	})
	return part
}

// metaJSON is what the header of the log notes of the run.
func (o options) metaJSON() (json.RawMessage, error) {
	if len(o.meta) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(o.meta)
	if err != nil {
		return nil, fmt.Errorf("leader: meta: %w", err)
	}
	return text, nil
}
