# Which agent runs which plan, and under which limits. Check this file in: everybody,
# and CI, then runs the same. What may stand here: docs/manifest-reference.md of
# ai-session-handler. After each change:
#
#   ai-session-handler validate
#   ai-session-handler fmt

manifest {
  version = 1
}

# Settings for every plan. An agent, a plan or a phase may say otherwise.
defaults {
  timeout      = "1h"  # of one phase
  idle_timeout = "30m" # agents are silent while a model thinks or a command runs
}

# Profiles. Uncomment one, set what your project needs, and bind a plan to it below.
# Each reads its task from standard input and ends with one result block.

# agent "claude" {
#   command   = ["claude", "-p", "--permission-mode", "acceptEdits"]
#   unset_env = ["CLAUDECODE"]
#   stop_on   = ["(?i)usage limit reached"]
# }

# Codex prints its answer on standard error too, where a second result is no result.
# agent "codex" {
#   command = ["sh", "-c", "exec codex exec --color never - 2>/dev/null"]
#   stop_on = ["(?i)usage limit reached"]
# }

# Any other command. With pass_env only these variables reach it; the value of one
# in secret_env is masked wherever output is kept or shown.
# agent "script" {
#   command    = ["./scripts/agent", "--prompt", "{prompt_file}"]
#   pass_env   = ["HOME", "PATH", "LANG", "LC_*"]
#   secret_env = ["AGENT_API_KEY"]
# }

# The plan. ai-session-handler run example runs what is left of it.

# plan "example" {
#   source = "docs/plans/example.md"
#   agent  = agent.claude
#
#   phase "1" {
#     pause_after = true # stop here, with exit code 0: look at the work, then run again
#   }
# }
