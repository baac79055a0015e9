package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a release packs is there, or `make share` writes it.
func TestReleasePacksWhatIsThere(t *testing.T) {
	config, makefile := readDoc(t, ".goreleaser.yaml"), readDoc(t, "Makefile")
	sources := regexp.MustCompile(`(?m)^ *(?:- )?(?:src|main): (.+)$`).FindAllStringSubmatch(config, -1)
	if len(sources) < 10 {
		t.Fatalf(".goreleaser.yaml names only %d files", len(sources))
	}
	for _, source := range sources {
		made, isMade := strings.CutPrefix(source[1], "share/")
		if isMade {
			if made != "**/*" && !regexp.MustCompile(`(?m)^(SHARED =)?\s+`+regexp.QuoteMeta(made)+`( \\)?$`).MatchString(makefile) {
				t.Errorf("the Makefile does not write share/%s", made)
			}
			continue
		}
		if found, err := filepath.Glob(filepath.Join(repository, source[1])); err != nil || len(found) == 0 {
			t.Errorf("there is no %s (%v)", source[1], err)
		}
	}
}

// A released program says its version as a built one does.
func TestReleaseIsBuiltAsByMake(t *testing.T) {
	config, makefile := readDoc(t, ".goreleaser.yaml"), readDoc(t, "Makefile")
	for _, setting := range []string{"CGO_ENABLED=0", "-trimpath", "-X main.version="} {
		if !strings.Contains(config, setting) || !strings.Contains(makefile, setting) {
			t.Errorf("%s is not in both the Makefile and .goreleaser.yaml", setting)
		}
	}
}
