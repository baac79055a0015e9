package match

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// elsewhere ends a reason that is about syntax other engines have.
const elsewhere = " (Python and PCRE only)"

// reasons says what is wrong with what regexp/syntax refuses, and what to write
// instead. The first entry counts whose code is that of the error and with whose
// text the refused part begins.
var reasons = []struct {
	code   syntax.ErrorCode
	part   string
	reason string
}{
	{syntax.ErrInvalidPerlOp, "(?=", "lookahead is not supported" + elsewhere + ": match the text that follows too"},
	{syntax.ErrInvalidPerlOp, "(?!", "negative lookahead is not supported" + elsewhere + ": list what may follow instead, for example with [^…]"},
	{syntax.ErrInvalidNamedCapture, "(?<=", "lookbehind is not supported" + elsewhere + ": match the text in front too"},
	{syntax.ErrInvalidNamedCapture, "(?<!", "negative lookbehind is not supported" + elsewhere + ": list what may stand in front instead, for example with (?:^|[^…])"},
	{syntax.ErrInvalidNamedCapture, "", "a group is named like (?P<name>…), with letters, digits and _, and each name once"},
	{syntax.ErrInvalidPerlOp, "(?>", "atomic groups are not supported" + elsewhere + ": write (?:…), matching never takes longer for it"},
	{syntax.ErrInvalidPerlOp, "(?#", "comments are not supported" + elsewhere + ": leave (?#…) out"},
	{syntax.ErrInvalidPerlOp, "(?(", "conditions are not supported" + elsewhere + ": list both cases with |"},
	{syntax.ErrInvalidPerlOp, "(?|", "groups with shared numbers are not supported" + elsewhere + ": write (?:…)"},
	{syntax.ErrInvalidPerlOp, "(?x", "the flag x is not supported" + elsewhere + ": leave the spaces out"},
	{syntax.ErrInvalidPerlOp, "(?'", "a group is named like (?P<name>…)"},
	{syntax.ErrInvalidPerlOp, "(?P", "of the groups with (?P only (?P<name>…) is supported, references as (?P=name) are not" + elsewhere},
	{syntax.ErrInvalidPerlOp, "", "there is no such group or flag: groups are (?:…) and (?P<name>…), flags are i, m, s and U"},

	{syntax.ErrInvalidEscape, `\Z`, "not supported" + elsewhere + `: the end of the text is \z, and \n?\z allows a newline in front of it`},
	{syntax.ErrInvalidEscape, `\k`, "references to groups are not supported" + elsewhere},
	{syntax.ErrInvalidEscape, `\g`, "references to groups are not supported" + elsewhere},
	{syntax.ErrInvalidEscape, `\h`, `write [ \t]`},
	{syntax.ErrInvalidEscape, `\R`, `write (?:\r\n|\n|\r)`},
	{syntax.ErrInvalidEscape, `\N`, `write [^\n]`},
	{syntax.ErrInvalidEscape, `\e`, `write \x1b`},
	{syntax.ErrInvalidEscape, `\c`, `write a control character as \x and two hexadecimal digits`},
	{syntax.ErrInvalidEscape, `\u`, `write a character as \x{…} with its hexadecimal number`},
	{syntax.ErrInvalidEscape, `\U`, `write a character as \x{…} with its hexadecimal number`},
	{syntax.ErrInvalidEscape, `\x`, `a character is \x and two hexadecimal digits, or \x{…} up to \x{10FFFF}`},
	{syntax.ErrInvalidEscape, "", "there is no such escape: for the character itself leave the backslash out"},

	{syntax.ErrInvalidRepeatOp, "", "a repetition can't be repeated, and possessive ones are not supported" + elsewhere + ": leave the second out, or put a group around the first"},
	{syntax.ErrMissingRepeatArgument, "", "there is nothing in front of it to repeat: write .* for any text, or a backslash for the character itself"},
	{syntax.ErrMissingParen, "", `a group is not closed by ): for the character itself write \(`},
	{syntax.ErrUnexpectedParen, "", `a ) closes no group: for the character itself write \)`},
	{syntax.ErrMissingBracket, "", `a class is not closed by ]: for the character itself write \[`},
	{syntax.ErrTrailingBackslash, "", `it ends in a single backslash: for the character itself write \\`},
	{syntax.ErrInvalidUTF8, "", `it is not UTF-8: bytes of the output that aren't count as \x{FFFD}`},
	{syntax.ErrInvalidCharRange, `\`, `there is no such class of Unicode: write for example \p{L}, \p{Lu} or \p{Greek}`},
	{syntax.ErrInvalidCharRange, `[:`, "there is no such class: write for example [:alpha:], [:digit:] or [:space:]"},
	{syntax.ErrInvalidCharRange, "", "the range runs backwards: for the character - itself put it first or last"},
	{syntax.ErrNestingDepth, "", "its groups are nested too deeply: at most 1000 levels"},
	{syntax.ErrLarge, "", "it is too large: repeat less"},
}

// explain returns err, which regexp/syntax has returned for expr, in plain words.
func explain(expr string, err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	reason := reasonFor(bad)
	if bad.Expr == "" || bad.Expr == expr {
		return errors.New(reason)
	}
	return fmt.Errorf("at %s: %s", quote(bad.Expr), reason)
}

// quote quotes what somebody wrote, in backquotes where that is possible, so
// that backslashes stay what they are. What is very long is cut.
func quote(expr string) string {
	const longest = 200 // bytes
	if len(expr) > longest {
		return fmt.Sprintf("%#q…", strings.ToValidUTF8(expr[:longest], ""))
	}
	return fmt.Sprintf("%#q", expr)
}

func reasonFor(bad *syntax.Error) string {
	switch {
	case bad.Code == syntax.ErrInvalidEscape && strings.Trim(bad.Expr[1:], "0123456789") == "":
		return "references to groups are not supported" + elsewhere
	case bad.Code == syntax.ErrInvalidRepeatSize:
		var from, to int
		if n, _ := fmt.Sscanf(bad.Expr, "{%d,%d}", &from, &to); n == 2 && from > to {
			return "the counts stand in the wrong order"
		}
		return "at most 1000 repetitions are supported, those of nested groups multiplied"
	}
	for _, r := range reasons {
		if r.code == bad.Code && strings.HasPrefix(bad.Expr, r.part) {
			return r.reason
		}
	}
	return bad.Code.String()
}
