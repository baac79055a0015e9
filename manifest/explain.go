package manifest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
)

// Explain lists what a layer says, in a fixed order.
func (l Layer) Explain() (lines []Explained) {
	for _, name := range settingNames {
		setting, ok := l[name]
		if !ok {
			continue
		}
		lines = append(lines, Explained{Name: name, Value: text(name, setting.Value), Origins: origins(setting)})
	}
	return lines
}

// Explained is one setting for people.
type Explained struct {
	Name    string
	Value   string
	Origins []string // where the value, or each part of it, came from; each once
}

// settingNames is the order in which settings are shown.
var settingNames = strings.Fields(`agent command timeout idle_timeout grace output_max stop_on
	pass_env unset_env env secret_env memory_max pids_max cpu_max limits retry pause_after max_phases`)

func origins(s Setting) (list []string) {
	add := func(o Origin) {
		for _, known := range list {
			if known == o.String() {
				return
			}
		}
		list = append(list, o.String())
	}
	switch value := s.Value.(type) {
	case []Item:
		for _, item := range value {
			add(item.Origin)
		}
	case map[string]Item:
		for _, name := range sortedKeys(value) {
			add(value[name].Origin)
		}
	}
	if len(list) == 0 {
		add(s.Origin)
	}
	return list
}

// text is a value as a manifest would write it.
func text(name string, value any) string {
	switch value := value.(type) {
	case string:
		return value
	case time.Duration:
		return binding.LimitText(value)
	case int64:
		return number(name, value)
	case []Item:
		return binding.WordsText(texts(value))
	case Command:
		return binding.WordsText(value)
	case map[string]Item:
		pairs := make([]string, 0, len(value))
		for _, key := range sortedKeys(value) {
			pairs = append(pairs, fmt.Sprintf("%s = %q", key, value[key].Text))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	case Retry:
		return value.String()
	}
	return fmt.Sprint(value)
}

func number(name string, value int64) string {
	switch name {
	case "cpu_max":
		return binding.CPUText(value)
	case "output_max", "memory_max":
		return binding.SizeText(value)
	}
	return binding.CountText(value)
}
