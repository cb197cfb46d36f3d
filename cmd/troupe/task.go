package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxTask bounds what stdin may bring, in bytes.
const maxTask = 4 << 20

// task is what the team is asked to do: the arguments, with what stdin brings
// as context, or stdin alone, or what the person types when asked.
func (a *app) task(ctx context.Context, args []string, t *team) (string, error) {
	text, err := a.given(ctx, args)
	switch {
	case err != nil || text != "":
		return text, err
	case t.demo:
		return a.words.demoTask, nil
	case a.interactive():
		return a.ask(ctx)
	}
	return "", a.noTask()
}

func (a *app) noTask() error { return usageError(a.words.emptyTask, a.words.emptyTaskHint) }

// given is what the arguments and stdin bring; empty when there is neither.
func (a *app) given(ctx context.Context, args []string) (string, error) {
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-" })
	instruction := strings.Join(words, " ")
	dash := len(words) < len(args)
	input, err := a.input(ctx, dash)
	if err != nil {
		return "", err
	}
	switch {
	case !blank(instruction) && !blank(input):
		return instruction + "\n\n" + a.words.fromStdin + "\n\n" + input, nil
	case !blank(instruction):
		return instruction, nil
	case !blank(input):
		return input, nil
	case len(args) > 0:
		return "", a.noTask()
	}
	return "", nil
}

// input is what stdin brings, if it brings anything.
func (a *app) input(ctx context.Context, dash bool) (string, error) {
	if !dash && !a.Piped {
		return "", nil
	}
	slow := func() { a.say(a.words.waitingForStdin) }
	text, err := readAll(ctx, a.Stdin, maxTask, slow)
	if err != nil {
		return "", err
	}
	if len(text) > maxTask {
		return "", usageError(fmt.Sprintf(a.words.longTask, maxTask>>20), a.words.longTaskHint)
	}
	return string(text), nil
}

// ask lets the person type the task.
func (a *app) ask(ctx context.Context) (string, error) {
	_, _ = io.WriteString(a.Stderr, a.words.askTask+" ")
	text, err := readLine(ctx, a.Stdin)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if blank(text) {
		return "", a.noTask()
	}
	return text, nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
