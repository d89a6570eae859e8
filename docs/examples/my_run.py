"""A law of one's own from Python: run it, look at a channel, set it beside the others."""

# --8<-- [start:body]
from my_law import MyLaw

import forcebench as fb

soft = MyLaw(spring=(100, 2000, 2000, 500, 500, 500))
run = fb.simulate("kr5/push", law=soft, set={"duration": 0.5})
print(run)
print(f"the plane pushes with {-run['tool.force.x'][-1]:.1f} {run.unit('tool.force.x')}")

runs = fb.compare("kr5/push", ["stiffness", soft], set={"duration": 0.5})
for name, one in runs.items():
    print(f"{name}: largest force {one['tool.force.norm'].max():.1f} N")
# --8<-- [end:body]
