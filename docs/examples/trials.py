"""How often a push stays gentle when the wall and the gains are not what they should be."""

# --8<-- [start:body]
import forcebench as fb

study = fb.trials(
    "kr5/push",
    vary={
        "world.stiffness": "uniform(1e4, 2e5)",
        "law.linear": "*normal(1.0, 0.2)",
        "arm.damping": "choice(3.0, 5.0)",
    },
    count=40,
    seed=1,
    success=["max tool.force.norm below 22"],
)
low, high = study.rate.interval
print(f"{study.rate.share:.0%}, with 95 % confidence {low:.0%} to {high:.0%}")
for name in study.deciding():
    print(name, [(one.label, f"{one.rate.share:.0%}") for one in study.bins(name)])
study.save("trials.parquet")
# --8<-- [end:body]
