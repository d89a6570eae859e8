"""A law from a user's own Python file, named on the command line and never in a scenario."""

import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from forcebench.errors import ScenarioError, nearest
from forcebench.part.catalogue import part_kinds
from forcebench.part.declaration import Law, Part

__all__ = ["law_name"]


def law_name(text: str) -> str:
    """What to call the law ``text`` names: a name stays; ``file.py[:Class]`` is loaded."""
    file, _, wanted = text.partition(":")
    if not file.endswith(".py"):
        return text
    shipped = part_kinds("law")
    before = dict(Part.registry)
    module = _module(Path(file))
    laws = {
        value.__name__: value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Law)
        and value.__module__ == module.__name__
    }
    if wanted and wanted not in laws:
        raise ScenarioError(text, f"a law in {file}", repr(wanted), nearest(wanted, laws))
    if not wanted and len(laws) != 1:
        found = ", ".join(sorted(laws)) or "none"
        remedy = f"name it: {file}:{sorted(laws)[0]}" if laws else "define class MyLaw(Law)"
        raise ScenarioError(file, "one class derived from Law", found, remedy)
    law = laws[wanted] if wanted else next(iter(laws.values()))
    taken = before.get(("law", law.kind))
    if law.kind in shipped and (taken is None or taken.__module__ != module.__name__):
        Part.registry.clear()
        Part.registry.update(before)
        del sys.modules[module.__name__]
        raise ScenarioError(
            text, "a name of its own", repr(law.kind), "rename the class: that law exists"
        )
    if law.function is None:
        remedy = f"decorate it with @{law.__name__}.equation"
        raise ScenarioError(text, "a function with the equation", "none", remedy)
    return law.kind


def _module(path: Path) -> ModuleType:
    """Import a file as a module of its own, so that what is compiled from it can be cached."""
    place = str(path)
    path = path.resolve()
    name = f"forcebench_own_{sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ScenarioError(place, "a Python file that can be read", "none")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the file is the user's: anything may be in it
        del sys.modules[name]
        line = getattr(error, "lineno", None) or _line(error, path)
        where = f"{place}, line {line}" if line else place
        given = f"{type(error).__name__}: {error}"
        raise ScenarioError(where, "Python that runs", given) from error
    return module


def _line(error: BaseException, path: Path) -> int | None:
    """The line of the user's file on the way to the error."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
