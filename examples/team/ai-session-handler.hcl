# What everybody runs. Profiles are in agents.handler.hcl, which is joined with this file.

manifest {
  version          = 1
  required_version = ">= 0.1"
}

variable "effort" {
  description = "How much the agent may think: low, medium or high."
  default     = "medium"

  validation {
    condition     = contains(["low", "medium", "high"], var.effort)
    error_message = "Use low, medium or high."
  }
}

defaults {
  agent        = agent.writer
  timeout      = "1h"
  idle_timeout = "30m"
}

plan "changelog" {
  source = "docs/plans/changelog.md"
}

plan "review" {
  source = "docs/plans/review.md"
  agent  = agent.reviewer

  retry {
    on           = ["agent-failed", "timeout"]
    max_attempts = 2
  }
}
