package streams

import "encoding/json"

// Kind is what an event means to a reader, in whichever form it came.
type Kind int

// The kinds.
const (
	KindOther    Kind = iota
	KindText          // a piece of the answer
	KindLog           // a piece of reasoning or of a log
	KindState         // a state word of the agent
	KindArtifact      // something was made
	KindQuestion      // the task waits for the user
	KindAnswer        // the whole answer
	KindEnd           // the end of a root run
)

// Kind tells what the event means.
func (e Event) Kind() Kind {
	switch e.Type {
	case AnswerDelta:
		return KindText
	case FinalAnswer:
		return KindAnswer
	case AppStreamResponse:
		return KindEnd
	case StateChange:
		return KindState
	case Artifact:
		return KindArtifact
	case AskUser:
		return KindQuestion
	case ReasoningLogDelta:
		return e.Data.ContentType.kind()
	case TaskCreate, TaskStop:
		return KindOther
	default:
		return KindOther
	}
}

// kind is what the code makes of a log event.
func (c ContentType) kind() Kind {
	switch c {
	case ContentState:
		return KindState
	case ContentArtifact:
		return KindArtifact
	case ContentForm, ContentQuestions:
		return KindQuestion
	case ContentText:
		return KindLog
	default:
		return KindLog
	}
}

// Text is what the event says: the piece of text, the state word, the address
// of the artifact, the question; the questions of a questions prompt are JSON.
func (e Event) Text() string {
	if _, sdk := e.raw.values["data"]; !sdk && e.raw.values != nil {
		return e.flatText()
	}
	if len(e.Data.Choices) == 0 || e.Data.Choices[0].Delta.Content == nil {
		return ""
	}
	content := *e.Data.Choices[0].Delta.Content
	switch e.Data.ContentType {
	case ContentArtifact:
		return fileURL(content)
	case ContentForm:
		return formPrompt(content)
	case ContentText, ContentState, ContentQuestions:
		return content
	default:
		return content
	}
}

func (e Event) flatText() string {
	switch e.Kind() {
	case KindState:
		return e.state
	case KindArtifact:
		return e.url
	case KindQuestion:
		return e.prompt
	case KindOther, KindText, KindLog, KindAnswer, KindEnd:
		return e.content
	default:
		return e.content
	}
}

// file is an element of the list that an artifact event carries as text.
type file struct {
	FileURL string `json:"fileUrl"`
}

// fileURL is the address in an artifact's text, which is the text itself when
// it has another form.
func fileURL(content string) string {
	var files []file
	if json.Unmarshal([]byte(content), &files) != nil || len(files) == 0 {
		return content
	}
	return files[0].FileURL
}

// form is what a plain question carries as text.
type form struct {
	FormStatus int         `json:"formStatus"`
	Fields     []formField `json:"pluginMachineFields"`
}

type formField struct {
	FormType    string `json:"formType"`
	FieldName   string `json:"fieldName"`
	FieldCode   string `json:"fieldCode"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// formPrompt is the question in a form's text, which is the text itself when
// it has another form.
func formPrompt(content string) string {
	var f form
	if json.Unmarshal([]byte(content), &f) != nil || len(f.Fields) == 0 {
		return content
	}
	return f.Fields[0].Description
}
