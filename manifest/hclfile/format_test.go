package hclfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
)

func TestFormat(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":                    {"", ""},
		"only lines":               {"\n\n\n", ""},
		"spaces":                   {"a=1", "a = 1\n"},
		"aligned":                  {"a = 1\nlong = 2\n", "a    = 1\nlong = 2\n"},
		"carriage returns":         {"a = 1\r\n\r\n# x\r\nb = 2\r\n", "a = 1\n\n# x\nb = 2\n"},
		"empty lines":              {"\n\n\na = 1\n\n\n \nb = 2\n\n\n", "a = 1\n\nb = 2\n"},
		"byte order mark":          {"\xef\xbb\xbfa = 1\n", "a = 1\n"},
		"end of a comment":         {"# x \t\na = 1 # y  \n", "# x\na = 1 # y\n"},
		"heredoc":                  {"a = <<E\n x \n\n\n\ny\r\nE\n\n\n\nb = 1\n", "a = <<E\n x \n\n\n\ny\r\nE\n\nb = 1\n"},
		"heredoc in a heredoc":     {"a = <<E\n${<<F\n\n\n\nF\n}\n\n\n\nE\n", "a = <<E\n${<<F\n\n\n\nF\n}\n\n\n\nE\n"},
		"comment of several lines": {"/* a\n\n\n  b */\na = 1\n", "/* a\n\n\n  b */\na = 1\n"},
		"indentation":              {"a {\nb = 1\n}\n", "a {\n  b = 1\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, string(hclfile.Format([]byte(c.in)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
