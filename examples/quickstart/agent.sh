#!/bin/sh
# A scripted agent: it does by rule what a model would do by reading the plan.
# Like every agent it gets the prompt on stdin, works in the current directory,
# and ends with exactly one result block.
set -u

prompt=$(cat)
phase=${AI_SESSION_HANDLER_PHASE_ID-}

# result KIND TEXT prints the result block, the last thing this agent says.
result() {
	printf '<phase-%s>%s</phase-%s>\n' "$1" "$2" "$1"
	exit 0
}

# same NAME WANT GOT compares what a command printed with what it should print.
same() {
	if [ "$3" != "$2" ]; then
		result blocked "Validation failed: $1 printed '$3' instead of '$2'."
	fi
	echo "validated: $1 prints $3"
}

# write_greet EXPRESSION writes the script; EXPRESSION is where the name is from.
write_greet() {
	mkdir -p bin
	printf '#!/bin/sh\necho "Hello, %s!"\n' "$1" >bin/greet
	chmod +x bin/greet
	echo "wrote bin/greet"
}

write_script() {
	write_greet '$1'
	same 'bin/greet Ada' 'Hello, Ada!' "$(bin/greet Ada)"
	result complete 'Wrote bin/greet.
Validation: bin/greet Ada prints "Hello, Ada!".
Limitation: without a name it greets nobody; phase 2 changes that.'
}

add_default() {
	name=$(sed -n 's/^- default name: //p' docs/decisions.md)
	if [ -z "$name" ]; then
		result needs-clarification 'Whom shall bin/greet greet without a name? docs/decisions.md does not say; write a line "- default name: NAME" there.'
	fi
	echo "docs/decisions.md: the default name is $name"
	write_greet "\${1:-$name}"
	same 'bin/greet' "Hello, $name!" "$(bin/greet)"
	same 'bin/greet Ada' 'Hello, Ada!' "$(bin/greet Ada)"
	result complete "Changed bin/greet: the name is optional.
Decision: the default is $name, from docs/decisions.md.
Validation: bin/greet prints \"Hello, $name!\", bin/greet Ada prints \"Hello, Ada!\"."
}

test_and_report() {
	mkdir -p tests
	cat >tests/greet.sh <<-'END'
		#!/bin/sh
		# Tries bin/greet. Run it from the root of the repository.
		set -eu
		name=$(sed -n 's/^- default name: //p' docs/decisions.md)
		[ "$(bin/greet)" = "Hello, $name!" ] && echo "ok without a name"
		[ "$(bin/greet Ada)" = "Hello, Ada!" ] && echo "ok with a name"
	END
	echo "wrote tests/greet.sh"
	if ! printed=$(sh tests/greet.sh); then
		result blocked "sh tests/greet.sh failed. It printed: $printed"
	fi
	printf '# Report\n\n`sh tests/greet.sh` passed. It printed:\n\n%s\n' "$printed" >docs/report.md
	echo "wrote docs/report.md"
	result complete 'Wrote tests/greet.sh and docs/report.md.
Validation: sh tests/greet.sh passed, 2 cases.'
}

# The prompt of another phase would be a mistake of whoever started this.
case $prompt in
*"BEGIN PHASE $phase "*) ;;
*) result blocked "The prompt on stdin is not that of phase '$phase'." ;;
esac

case $phase in
phase-1) write_script ;;
phase-2) add_default ;;
phase-3) test_and_report ;;
*) result blocked "This agent knows nothing of phase '$phase'." ;;
esac
