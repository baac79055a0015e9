#!/usr/bin/env bash
# Runs every fuzz test of the module for FUZZTIME (30s), one after the other. The
# test binaries are asked for their names, so that none is forgotten.
set -euo pipefail
cd "$(dirname "$0")/.."

# For each package: the names, then a line "ok PACKAGE TIME". -vet=off: lint's job.
listing=$(go test -vet=off -list '^Fuzz' ./...) || { echo "$listing"; exit 1; }
targets=$(awk '
	/^Fuzz/      { names[n++] = $1 }
	$1 == "ok"   { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }
' <<<"$listing")
[[ -n $targets ]] || { echo "fuzz: no fuzz test found"; exit 1; }

failed=0
while read -r package name; do
	echo "fuzz: $package $name"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-30s}" -fuzzminimizetime 1x "$package" </dev/null || failed=$((failed + 1))
done <<<"$targets"
echo "fuzz: $(wc -l <<<"$targets") fuzz tests, $failed failed"
((failed == 0))
