"""A square on an uneven board: what was drawn, asked in three ways, and a picture of it."""

# --8<-- [start:body]
import forcebench as fb
from forcebench.run.metrics import metrics
from forcebench.run.quantity import quantity
from forcebench.run.trace import trace
from forcebench.view.board import plot_board
from forcebench.view.ink import save_figure

runs = fb.compare("kr5/draw", ["hybrid", "stiffness"])
for law, run in runs.items():
    lost = metrics(run)["drawing_losses"].value
    mean = quantity(run, "mean world.pressing after 3 while world.pressing above 0")
    print(f"{law}: lost contact {lost:.0f} times, pressed with {mean:.1f} N")

drawn = trace(runs["hybrid"])
print(drawn.place.shape, drawn.length)  # (samples, 3) along the board [m], length drawn [m]
save_figure(plot_board(runs), "board.png")
# --8<-- [end:body]
