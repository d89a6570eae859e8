"""A small study: how the largest force depends on the stiffness of the wall."""

# --8<-- [start:body]
import forcebench as fb

study = fb.sweep(
    "kr5/push",
    over={"law": ["stiffness", "hybrid"], "world.stiffness": [1e3, 1e4, 1e5]},
    ask=["max tool.force.norm"],
)
for trial in study.trials:
    print(trial.set, trial.status, trial.answers)
study.save("study.csv")
# --8<-- [end:body]
