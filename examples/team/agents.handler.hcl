# The team's profiles.

locals {
  limits = ["(?i)usage limit reached", "(?i)quota exceeded"]
}

agent "base" {
  abstract   = true
  pass_env   = ["HOME", "PATH", "LANG", "LC_*"]
  secret_env = ["TEAM_TOKEN"]
  stop_on    = local.limits
}

agent "writer" {
  extends = agent.base
  command = ["./agent.sh", "--role", "writer"]
  env     = { EFFORT = var.effort }
}

agent "reviewer" {
  extends = agent.writer
  command = ["./agent.sh", "--role", "reviewer"]
  timeout = "20m"
  stop_on = ["^REJECTED"]
}
