"""Run every measurement, print the tables and write benchmarks/latest.md. Exits 0 either way."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import batch
import drawing
import insertion
import inverse
import kr5_loop
import long_chain
import published
import startup
from report import Section, machine, page, section_lines

MEASUREMENTS = (kr5_loop, drawing, batch, inverse, insertion, published, startup, long_chain)


def main(wanted: list[str]) -> int:
    """Measure what is named, or everything; only everything is written to the page."""
    known = {module.__name__: module for module in MEASUREMENTS}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"benchmarks: expected one of {', '.join(known)}, got {unknown[0]!r}")
        return 2
    before = os.getloadavg()[0]
    sections: list[Section] = []
    for name, module in known.items():
        if wanted and name not in wanted:
            continue
        print(f"-- {name}", flush=True)
        sections.append(module.measure())
        print("\n".join(section_lines(sections[-1])), flush=True)
    if not wanted:
        facts = machine((before, os.getloadavg()[0]))
        text = page(sections, facts, datetime.now(UTC).date().isoformat())
        Path(__file__).with_name("latest.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
