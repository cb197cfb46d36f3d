package main

import (
	"io"
	"testing"
)

func TestColoured(t *testing.T) {
	for _, tt := range []struct {
		name     string
		flag     string
		vars     map[string]string
		terminal bool
		want     bool
	}{
		{"terminal", "", nil, true, true},
		{"no terminal", "", nil, false, false},
		{"NO_COLOR", "", map[string]string{"NO_COLOR": "1"}, true, false},
		{"empty NO_COLOR", "", map[string]string{"NO_COLOR": ""}, true, true},
		{"dumb terminal", "", map[string]string{"TERM": "dumb"}, true, false},
		{"always", "always", map[string]string{"NO_COLOR": "1"}, false, true},
		{"never", "never", nil, true, false},
		{"auto", "auto", nil, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &app{color: tt.flag, Env: Env{
				LookupEnv:  func(name string) (string, bool) { v, ok := tt.vars[name]; return v, ok },
				IsTerminal: func(any) bool { return tt.terminal },
			}}
			if got := a.coloured(io.Discard); got != tt.want {
				t.Errorf("coloured = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		vars map[string]string
		want string
	}{
		{nil, nil, en},
		{nil, map[string]string{"LANG": "zh_CN.UTF-8"}, zh},
		{nil, map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, en},
		{nil, map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, zh},
		{nil, map[string]string{"LANG": "zh_CN.UTF-8", "TROUPE_LANG": "en"}, en},
		{[]string{"run", "--lang", "zh"}, map[string]string{"TROUPE_LANG": "en"}, zh},
		{[]string{"--lang=en", "run"}, map[string]string{"LANG": "zh"}, en},
		{[]string{"--lang", "auto"}, map[string]string{"LANG": "zh"}, zh},
		{[]string{"run", "--", "--lang", "zh"}, nil, en},
		{[]string{"--lang"}, nil, en},
	} {
		a := &app{Env: Env{Args: tt.args, LookupEnv: func(name string) (string, bool) { v, ok := tt.vars[name]; return v, ok }}}
		if got := a.guessLang(); got != tt.want {
			t.Errorf("%q with %v: %s, want %s", tt.args, tt.vars, got, tt.want)
		}
	}
}
