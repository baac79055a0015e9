effort = "high"
