#!/usr/bin/env bash
# Fails when `go generate` changes, adds or removes a file. It compares the tree
# with itself rather than with the last commit, so that it is of use before one.
set -euo pipefail
cd "$(dirname "$0")/.."

sums() {
	find . -path ./.git -prune -o -path ./bin -prune -o -path ./dist -prune -o \
		-type f -exec sha256sum {} + | sort -k 2
}

before=$(mktemp)
trap 'rm -f "$before"' EXIT
sums >"$before"
go generate ./...
if ! changed=$(sums | diff "$before" -); then
	echo "generated files were not current; they have been written anew:"
	sed -nE 's/^[<>] [0-9a-f]+ +/  /p' <<<"$changed" | sort -u
	exit 1
fi
echo "generated files: current"
