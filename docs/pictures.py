"""Make the pictures of the pages: ``.venv/bin/python docs/pictures.py``.

They are in the repository because README.md is read without building anything.
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import forcebench as fb
from forcebench.scenario.own_law import law_name
from forcebench.view.board import plot_board
from forcebench.view.ink import save_figure
from forcebench.view.plots import plot_compare, plot_force

DOCS = Path(__file__).parent
ROOT = DOCS.parent
IMPACT = {
    "dopri, 0.01 ms": {"bench.integrator": "dopri", "bench.tick": 1e-5, "bench.step": 1e-5},
    "implicit, 1 ms": {"bench.integrator": "implicit", "bench.step": 1e-3},
    "implicit, 0.1 ms": {"bench.integrator": "implicit", "bench.step": 1e-4},
    "rk4, 0.1 ms": {"bench.integrator": "rk4", "bench.step": 1e-4},
}


def main() -> None:
    """Run, draw, write."""
    pictures = DOCS / "images"
    pictures.mkdir(exist_ok=True)
    four = ["stiffness", "impedance", "admittance", "hybrid"]
    save_figure(plot_force(fb.compare("kr5/push", four)), pictures / "push.png")
    own = law_name(str(DOCS / "examples" / "my_law.py"))
    beside = fb.compare("kr5/push", ["stiffness", own, "hybrid"])
    save_figure(plot_force(beside), pictures / "my_law.png")
    drawn = fb.compare("kr5/draw", ["hybrid", "stiffness"])
    save_figure(plot_board(drawn), pictures / "board.png")
    impact = {
        name: fb.simulate("rp/stiffness", set={"duration": 0.4} | {
            "bench.tick": timing.get("bench.step", 1e-3), "bench.record": None, **timing
        })
        for name, timing in IMPACT.items()
    }  # fmt: skip
    figure = plot_compare(impact, ["tool.force.norm"])
    figure.axes[0].set_xlim(0.359, 0.372)
    save_figure(figure, pictures / "impact.png")
    for page in ("catalyst5.md", "heavylift.md", "heavylift_task.md", "adept.md"):
        of_page(DOCS / page, pictures)
    for page in ("identify.md", "design_admittance.md", "trials.md"):
        of_folders(DOCS / page, pictures)


def of_page(page: Path, pictures: Path) -> None:
    """Run the commands of a page that draw: into the folder it names, maps under its name."""
    for line in re.findall(r"^\$ forcebench (.*)$", page.read_text(), re.MULTILINE):
        words = shlex.split(line)
        if words[0] == "plot":
            command(words)
            small(ROOT / words[words.index("--out") + 1])
        elif words[0] == "sweep":
            with TemporaryDirectory() as folder:
                words[words.index("--out") + 1] = folder
                command(words)
                target = pictures / f"{page.stem}_map.png"
                shutil.copy(Path(folder) / "map_1.png", target)
                small(target)


def of_folders(page: Path, pictures: Path) -> None:
    """Run the commands of a page that write a folder, and keep the pictures that it shows."""
    text = page.read_text()
    with TemporaryDirectory() as folder:
        for line in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
            words = shlex.split(line)
            if words[0] == "python":
                script = str(ROOT / words[1])
                subprocess.run([sys.executable, script, *words[2:]], cwd=folder, check=True)
            elif "--out" in words:
                command(words[1:], Path(folder))
                written = Path(folder) / words[words.index("--out") + 1]
                for picture in written.glob("*.png"):
                    for name in (picture.name, f"{written.name}_{picture.name}"):
                        target = pictures / f"{page.stem}_{name}"
                        if target.name in text:
                            shutil.copy(picture, target)
                            small(target)


def command(words: list[str], where: Path = ROOT) -> None:
    """Run forcebench; a run that ends early, exit code 1, is drawn as well."""
    done = subprocess.run([sys.executable, "-m", "forcebench.cli", *words], cwd=where, check=False)
    if done.returncode > 1:
        sys.exit(done.returncode)


def small(picture: Path) -> None:
    """Keep 128 colours: half the bytes, and nobody sees it."""
    Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)


if __name__ == "__main__":
    main()
