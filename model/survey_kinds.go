package model

import (
	"path"
	"slices"
	"strings"
)

// fileUse is what people use files for.
type fileUse string

const (
	useSource   fileUse = "source"
	useText     fileUse = "text"
	useData     fileUse = "data"
	useDocument fileUse = "document"
	useMedia    fileUse = "media"
	useArchive  fileUse = "archive"
	useBinary   fileUse = "binary"
)

// endings lists the endings of each use, without their dots.
func endings(use fileUse) string {
	switch use {
	case useSource:
		return " go py js ts jsx tsx mjs cjs vue svelte java kt kts scala groovy c h cc cpp cxx hpp hh cs m mm swift rs rb php pl lua r jl " +
			"sh bash zsh fish ps1 bat sql html htm css scss less proto graphql zig nim ex exs erl hs ml fs clj dart asm s tf cmake mk gradle "
	case useText:
		return " md markdown txt rst adoc org tex log "
	case useData:
		return " json jsonl yaml yml toml ini cfg conf xml csv tsv env lock properties plist mod sum work ipynb parquet db sqlite "
	case useDocument:
		return " pdf doc docx xls xlsx ppt pptx odt ods epub rtf "
	case useMedia:
		return " png jpg jpeg gif svg webp ico bmp tiff heic mp3 wav flac ogg mp4 mov mkv avi webm ttf otf woff woff2 "
	case useArchive:
		return " zip tar gz tgz bz2 xz zst 7z rar iso dmg deb rpm "
	case useBinary:
		return " exe dll so dylib a o obj lib class jar war pyc pyo wasm bin elf node "
	}
	return ""
}

// uses lists the uses.
func uses() []fileUse {
	return []fileUse{useSource, useText, useData, useDocument, useMedia, useArchive, useBinary}
}

// useOf tells the use of files with an ending; empty if it is not known.
func useOf(ending string) fileUse {
	if ending == "" {
		return ""
	}
	i := slices.IndexFunc(uses(), func(u fileUse) bool { return strings.Contains(endings(u), " "+ending[1:]+" ") })
	if i < 0 {
		return ""
	}
	return uses()[i]
}

// useName is the word for a use; empty if it is not known.
func (l tongue) useName(use fileUse) string {
	switch use {
	case useSource:
		return l.say("source code", "源代码")
	case useText:
		return l.say("text", "文本")
	case useData:
		return l.say("data and settings", "数据与配置")
	case useDocument:
		return l.say("documents", "文档")
	case useMedia:
		return l.say("pictures, sound, fonts", "图片、音视频与字体")
	case useArchive:
		return l.say("archives", "压缩包")
	case useBinary:
		return l.say("programs and libraries", "程序与库")
	}
	return ""
}

func isSource(e listed) bool { return e.kind == 'f' && useOf(endingOf(e.path)) == useSource }
func isBinary(e listed) bool { return e.kind == 'f' && useOf(endingOf(e.path)) == useBinary }

// isTest reports whether a path looks like that of a test: a folder for tests,
// or a name such as a_test.go, test_a.py, a.spec.ts, ATest.java.
func isTest(e listed) bool {
	dir, base := path.Split(strings.ToLower(e.path))
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "test", "tests", "__tests__", "spec", "specs", "testing", "e2e":
			return e.kind == 'f'
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	for _, end := range []string{"_test", "-test", ".test", "_spec", ".spec", "tests"} {
		if strings.HasSuffix(stem, end) {
			return e.kind == 'f'
		}
	}
	name := path.Base(e.path)
	return e.kind == 'f' && (stem == "test" || strings.HasPrefix(stem, "test_") ||
		strings.HasSuffix(strings.TrimSuffix(name, path.Ext(name)), "Test"))
}

// isLicence reports whether a file at the top looks like a licence.
func isLicence(e listed) bool {
	name := strings.ToLower(e.path)
	return e.kind == 'f' && !strings.Contains(name, "/") &&
		(strings.HasPrefix(name, "licen") || strings.HasPrefix(name, "copying") || strings.HasPrefix(name, "unlicense"))
}

// maySecret reports whether a file often holds keys or passwords.
func maySecret(e listed) bool {
	name := strings.ToLower(path.Base(e.path))
	if e.kind != 'f' {
		return false
	}
	switch name {
	case ".env", ".netrc", ".npmrc", ".pypirc", "id_rsa", "id_ed25519", "id_ecdsa", "credentials.json", ".htpasswd":
		return true
	}
	return slices.Contains([]string{".pem", ".key", ".p12", ".pfx", ".keystore", ".jks"}, path.Ext(name))
}

// generatedNames are folders that programs usually fill.
func generatedNames() []string {
	return []string{
		"dist", "build", "out", "target", "vendor", "third_party", "coverage", "generated", "gen", "obj", "bin", "tmp", "temp",
	}
}

// looksMade reports whether a folder looks generated or is hidden.
func looksMade(e listed) bool {
	name := path.Base(e.path)
	return e.kind == 'd' && (strings.HasPrefix(name, ".") || slices.Contains(generatedNames(), strings.ToLower(name)))
}
