manifest {
  version = 1
}

agent "fast" {
  command = "./agent.sh fast"
}

agent "careful" {
  command = "./agent.sh careful"
  timeout = "2h"
}

plan "migrate" {
  source     = "docs/migrate.md"
  agent      = agent.fast
  max_phases = 2 # at most two phases in one go

  phase "1" {
    pause_after = true # somebody reads the inventory before anything changes
  }

  phase "2" {
    agent   = agent.careful
    timeout = "3h"
    stop_on = ["DATA LOSS"]
  }
}
