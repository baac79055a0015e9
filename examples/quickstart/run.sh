#!/bin/sh
# Runs the example in a scratch directory, which is kept: it holds the evidence.
#
#   run.sh              the three phases, one after the other
#   run.sh --with-stop  phase 2 misses a decision, stops, and is retried
set -eu
umask 022

case $#-${1-} in
0-) with_stop= ;;
1---with-stop) with_stop=yes ;;
*)
	echo "usage: run.sh [--with-stop]" >&2
	exit 2
	;;
esac

if ! command -v ai-session-handler >/dev/null; then
	echo "ai-session-handler is not on the PATH. At the top of the checkout, 'make demo' builds it and runs this." >&2
	exit 1
fi

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/ai-session-handler-quickstart.XXXXXX")

cp -R "$here/AGENTS.md" "$here/agent.sh" "$here/ai-session-handler.hcl" "$here/docs" "$work"
chmod -R u+rwX "$work"
chmod +x "$work/agent.sh"
cd "$work"

# A repository of its own. Neither the configuration of whoever runs this nor a
# repository that Git variables point to has a part in it.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE GIT_CEILING_DIRECTORIES
repo() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1 \
		git -c init.defaultBranch=main -c user.name=quickstart -c user.email=quickstart@localhost \
		-c commit.gpgsign=false -c core.hooksPath=/dev/null "$@"
}

# show COMMAND… prints a command as one would type it, and runs it.
show() {
	printf '\n$'
	for word; do
		case $word in
		*' '*) printf ' "%s"' "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$@"
}

if [ "$with_stop" ]; then
	printf '# Decisions\n' >docs/decisions.md
fi
repo init -q --template=
repo add -A
repo commit -q -m 'Start'

echo "scratch directory: $work"
show ai-session-handler validate
if [ "$with_stop" ]; then
	code=0
	show ai-session-handler run greet || code=$?
	echo "exit code $code"
	if [ "$code" -ne 3 ]; then
		echo "run.sh: phase 2 should have asked (exit code 3)" >&2
		exit 1
	fi
	show ai-session-handler status greet

	printf '\n# The answer goes where the plan says decisions are.\n'
	echo '$ echo "- default name: world" >>docs/decisions.md'
	echo '- default name: world' >>docs/decisions.md
	show ai-session-handler run greet --retry-stopped
else
	show ai-session-handler run greet
fi
show ai-session-handler status greet
show bin/greet

state=$(find .ai-session-handler/plans -name state.json)
cat <<END

What the phases changed, next to the first commit:
$(repo status --short --untracked-files=all)

The evidence lies in $work/${state%/state.json}:
$(cd "${state%/state.json}" && find . -type f | LC_ALL=C sort | sed "s|^\./|  |")

Everything is kept. To look at one attempt:
  cd $work
  $(command -v ai-session-handler) attempts show phase-2 --plan greet
END
