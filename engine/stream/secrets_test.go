package stream

import (
	"slices"
	"strings"
	"testing"
)

func newSecrets(t testing.TB, list ...Secret) *Secrets {
	t.Helper()
	s, err := NewSecrets(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewSecretsTellsAllThatIsWrongAndNoValue(t *testing.T) {
	list := []Secret{
		{"GOOD", "good-value"},
		{"SHORT", "short"},
		{"", "nameless-value"},
		{"N\x00L", "value-of-nul"},
		{"BINARY", "nul\x00value"},
		{"EMPTY", ""},
		{"PASSWORD", "PASSWORD"},
		{"IN_ANOTHER", "ed:GOOD"},
		{"LARGE", strings.Repeat("large", maxSecrets/5)},
	}
	_, err := NewSecrets(list)
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`secret "SHORT" can't be masked safely: the value is shorter than 6 bytes; `,
		`secret 3 of 9 has no name: `,
		`secret "N\x00L": the name has a NUL character: `,
		`secret "BINARY" can't be masked safely: the value has a NUL character; `,
		`secret "EMPTY" can't be masked safely: the value is shorter than 6 bytes; `,
		`secret "PASSWORD" can't be masked safely: the value is part of the text that stands for a masked one; `,
		`secret "IN_ANOTHER" can't be masked safely: the value is part of the text that stands for a masked one; `,
		`the values of all secrets have 16777280 bytes together, more than 16777216: `,
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d problems:\n%v", len(got), err)
	}
	for i, line := range got {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("problem %d: %s\nwant: %s", i+1, line, want[i])
		}
	}
	for _, value := range []string{"good-value", `"short"`, "nameless-value", "value-of-nul", "nul\x00", `nul\x00value`, "ed:GOOD", "largelarge"} {
		if strings.Contains(err.Error(), value) {
			t.Errorf("the error has the value %q:\n%v", value, err)
		}
	}
}

func TestLimitsOfValues(t *testing.T) {
	if s := newSecrets(t, Secret{"A", "123456"}); s.Mask("123456") != "[masked:A]" {
		t.Error("a value of MinSecret bytes is not masked")
	}
	// The largest that is allowed is not built: its trie takes half a GiB.
	largest := []Secret{{"A", strings.Repeat("a", maxSecrets)}}
	if err := checkSecrets(largest); err != nil {
		t.Error(err)
	}
}

func TestNoSecretsMaskNothing(t *testing.T) {
	for name, s := range map[string]*Secrets{"nil": nil, "empty": newSecrets(t)} {
		if !s.Empty() || s.Find([]byte("text")) != nil || s.Mask("text") != "text" {
			t.Errorf("%s: something is masked", name)
		}
		m, p := s.NewMasker(), []byte("text")
		if got := m.Write(p); len(got) != 4 || &got[0] != &p[0] {
			t.Errorf("%s: Write returned %q", name, got)
		}
		if len(m.Held()) != 0 || len(m.Close()) != 0 || m.Count() != 0 {
			t.Errorf("%s: something is held", name)
		}
	}
	if newSecrets(t, Secret{"A", "value-of-a"}).Empty() {
		t.Error("a secret is no secret")
	}
}

func TestFindNamesEachOnceInOrder(t *testing.T) {
	s := newSecrets(t,
		Secret{"LATE", "overlap-late"},
		Secret{"EARLY", "early-overlap"},
		Secret{"ABSENT", "absent-value"},
		Secret{"TWICE", "first-twice"},
		Secret{"TWICE", "second-twice"},
		Secret{"ALIAS", "early-overlap"},
		Secret{"INNER", "overlap"},
	)
	for text, want := range map[string][]string{
		"early-overlap-late":                    {"LATE", "EARLY", "INNER"},
		"second-twice first-twice second-twice": {"TWICE"},
		"absent-valu":                           nil,
		"":                                      nil,
		"a overlap, and early\noverlap-late here": {"LATE", "INNER"},
	} {
		if got := s.Find([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("Find(%q) = %q, want %q", text, got, want)
		}
	}
}
