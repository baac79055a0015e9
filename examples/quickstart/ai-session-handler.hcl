# Which agent runs the plan, and under which limits.

manifest {
  version = 1
}

agent "scripted" {
  command  = ["./agent.sh"]
  pass_env = ["PATH", "HOME"]
}

plan "greet" {
  source  = "docs/plans/greet.md"
  agent   = agent.scripted
  timeout = "10m"
}
