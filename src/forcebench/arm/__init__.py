"""Arms: the chain, its kinematics and dynamics, and how an arm is described and checked."""
