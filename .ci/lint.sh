#!/usr/bin/env bash
# Runs every linter, and fails at the end when any of them had something to say.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()
check() { # NAME COMMAND…
	local name=$1 status=0
	shift
	"$@" || status=$?
	if ((status)); then
		failed+=("$name")
		echo "lint: $name: FAILED"
	else
		echo "lint: $name: ok"
	fi
}

tool() { # NAME ARGUMENT…
	local path
	path=$(.ci/tools.sh "$1") || return
	"$path" "${@:2}"
}

# gofmt -l lists what is badly formatted, and exits 0 all the same.
gofmt_clean() {
	local files
	files=$(gofmt -l .) || return
	[[ -z $files ]] || { echo "not formatted, run gofmt -w on:"; echo "$files"; return 1; }
}

vet() { go vet ./... && go vet .ci/*.go; }

check gofmt gofmt_clean
check 'go vet' vet
check 'go mod tidy' go mod tidy -diff
check staticcheck tool staticcheck ./...
check golangci-lint tool golangci-lint run

if ((${#failed[@]})); then
	printf 'lint: FAILED: %s\n' "${failed[*]}"
	exit 1
fi
