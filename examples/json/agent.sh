#!/bin/sh
cat >/dev/null
echo "$1" >>hello.txt
echo '<phase-complete>Wrote hello.txt.</phase-complete>'
