manifest {
  version = 1
}

agent "echo" {
  command = ["./agent.sh"]
}

plan "hello" {
  source = "plan.md"
  agent  = agent.echo
}
