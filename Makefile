# Everything a contributor and CI run. `make` lists the targets.

GO       ?= go
PREFIX   ?= /usr/local
FUZZTIME ?= 30s
# What `go test` gets on top, for example TESTFLAGS='-run TestPlan -v'.
TESTFLAGS ?= -timeout=30m

VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# The race detector needs cgo and a C compiler. Nothing else here does.
RACE = $(if $(shell command -v $(firstword $(shell $(GO) env CC)) 2>/dev/null),-race)

.DEFAULT_GOAL := help
.PHONY: help build share demo install snapshot test test-fast test-race bench lint fuzz generate check-generated clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the static binary into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/ ./cmd/ai-session-handler

# What lies below PREFIX/share, by the program's own word.
SHARED = man/man1/ai-session-handler.1 \
	bash-completion/completions/ai-session-handler \
	zsh/site-functions/_ai-session-handler \
	fish/vendor_completions.d/ai-session-handler.fish

share: build ## Write the man page and the completions into share/
	mkdir -p $(addprefix share/,$(dir $(SHARED)))
	bin/ai-session-handler man >share/$(word 1,$(SHARED))
	bin/ai-session-handler completion bash >share/$(word 2,$(SHARED))
	bin/ai-session-handler completion zsh >share/$(word 3,$(SHARED))
	bin/ai-session-handler completion fish >share/$(word 4,$(SHARED))

demo: build ## Build, then run a three-phase plan with a small scripted agent
	PATH="$(CURDIR)/bin:$$PATH" examples/quickstart/run.sh

install: share ## Install binaries, man page and completions under PREFIX (/usr/local)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 bin/* "$(DESTDIR)$(PREFIX)/bin"
	for file in $(SHARED); do install -D -m 644 "share/$$file" "$(DESTDIR)$(PREFIX)/share/$$file" || exit; done

snapshot: ## Build the archives and packages of a release into dist/
	"$$(.ci/tools.sh goreleaser)" release --snapshot --clean --skip=publish

test: lint check-generated test-race ## Everything CI runs, but the browser check

test-fast: ## Only the tests, without the race detector
	$(GO) test $(TESTFLAGS) ./...

test-race: ## Only the tests, with the race detector where there is a C compiler
	@$(if $(RACE),,echo "NOTE: no C compiler: these tests run WITHOUT the race detector")
	CGO_ENABLED=$(if $(RACE),1,0) $(GO) test $(RACE) $(TESTFLAGS) ./...

bench: ## Measure the speed; ROW=start,phase for some rows, RUNS=9 for more runs
	$(GO) run ./cmd/internal/bench $(if $(ROW),-row $(ROW)) $(if $(RUNS),-runs $(RUNS))

lint: ## gofmt, go vet, staticcheck, golangci-lint, go mod tidy
	.ci/lint.sh

fuzz: ## Every fuzz test for FUZZTIME (30s)
	FUZZTIME=$(FUZZTIME) .ci/fuzz.sh

generate: ## Write the generated files
	$(GO) generate ./...

check-generated: ## Fail if `make generate` changes anything
	.ci/check-generated.sh

clean: ## Remove what build made
	rm -rf bin dist share
