"""Many runs, and second opinions on one."""
