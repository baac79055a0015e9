#!/usr/bin/env bash
# Prints the path of a tool, after building it where that hasn't been done:
#
#   .ci/tools.sh staticcheck
#
# The versions are pinned here and nowhere else. The tools stay out of go.mod,
# where their dependencies would mix with ours, and out of the tree: they are kept
# under ~/.cache/ai-session-handler/tools, by version and by the Go that built
# them, because a tool built by an older Go can't read newer code.
set -euo pipefail

name=${1:?usage: .ci/tools.sh NAME}
case $name in
staticcheck)   version=v0.8.2  package=honnef.co/go/tools/cmd/staticcheck ;;
golangci-lint) version=v2.15.0 package=github.com/golangci/golangci-lint/v2/cmd/golangci-lint ;;
goreleaser)    version=v2.15.1 package=github.com/goreleaser/goreleaser/v2 ;;
*) echo "tools.sh: no tool is called $name" >&2; exit 2 ;;
esac

cache=${XDG_CACHE_HOME:-$HOME/.cache}/ai-session-handler/tools
dir=$cache/$name@$version-$(go env GOVERSION)

if [[ ! -x $dir/$name ]]; then
	echo "tools.sh: building $name $version (once; this can take minutes)" >&2
	mkdir -p "$cache"
	# Built aside and moved: an interrupted build leaves nothing that looks done.
	new=$(mktemp -d "$cache/.new-XXXXXX")
	trap 'rm -rf "$new"' EXIT
	# From outside the module, so that its go.mod has no say.
	if ! (cd "$new" && GOBIN=$new GOFLAGS= CGO_ENABLED=0 go install "$package@$version") >"$new/log" 2>&1; then
		grep -v '^go: downloading ' "$new/log" >&2 || true
		echo "tools.sh: can't build $package@$version. Is the module proxy within reach (GOPROXY=$(go env GOPROXY))?" >&2
		exit 1
	fi
	mkdir -p "$dir"
	mv -f "$new/$name" "$dir/$name"
fi
echo "$dir/$name"
