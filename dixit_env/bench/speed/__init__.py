"""The speed benchmark: this project's workloads and its peers'."""
