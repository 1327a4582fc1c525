"""Models: loading CLIPs, caching what they embed, the CLIPs that come with the project and the policy network."""

import os

# Read once, when torch starts its threads: threads that wait by sleeping instead of spinning. On a machine that does
# anything else at the same time, two spinning threads embed pictures eight times slower than two sleeping ones.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
