"""The Python interface in ten lines: an arm, a run, a comparison, a file."""

# --8<-- [start:body]
import forcebench as fb

arm = fb.load_arm("kr5")
q = [0.0, 1.0, -0.7, 0.0, -1.2, 0.0]  # one state; (..., 6) for a batch
print(arm.pose(q)[:3, 3])  # the tool point [m]
print(arm.inertia(q).shape, arm.gravity_torque(q)[1])  # (6, 6), [N m]

run = fb.simulate(
    "kr5/push", law="impedance", set={"laws.impedance.linear": 500.0, "duration": 0.5}
)
print(run.status.sentence)
print(run["tool.force.x"].min(), run.unit("tool.force.x"))

runs = fb.compare("kr5/push", ["stiffness", "hybrid"], set={"duration": 0.5})
print({law: float(one["tool.force.norm"].max()) for law, one in runs.items()})

run.save("push.parquet")  # or .npz, .csv, .xlsx
print(fb.Run.load("push.parquet") == run)  # True
# --8<-- [end:body]
