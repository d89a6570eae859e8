"""Stepping a bench by hand: push from outside between ticks, save, go on, go back."""

# --8<-- [start:body]
import forcebench as fb

scenario = fb.load_scenario("kr5/push").changed({"hand": {"kind": "live"}})
bench = scenario.build()
bench.advance(0.1)  # [s]
before = bench.save()

bench.live[1] = 15.0  # a push of 15 N along y [N, N m]
bench.advance(0.1)
pushed = bench.record()[-1]

bench.load(before)  # back to 0.1 s
bench.live[1] = 0.0
bench.advance(0.1)
left_alone = bench.record()[-1]

y = [channel.name for channel in bench.channels].index("tool.position.y")
print(f"the push moved the tool by {1e3 * (pushed[y] - left_alone[y]):.2f} mm")
# --8<-- [end:body]
