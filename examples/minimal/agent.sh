#!/bin/sh
# The smallest agent there can be: it reads its task, does something, and says so.
cat >/dev/null
echo "hello from $AI_SESSION_HANDLER_PHASE_ID" >>hello.txt
echo '<phase-complete>Wrote hello.txt.</phase-complete>'
