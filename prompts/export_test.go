package prompts

// For tests that look at the files and templates themselves.
var (
	Files     = files
	Templates = templates
)
