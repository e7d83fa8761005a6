"""Writes `index.json`, what a list of the experiments shows: `python -m gatefield.experiments.index`, or `make index`."""

import importlib
import json
import pkgutil

from gatefield.experiments import INDEX, SUBJECTS
from gatefield.lab import Experiment


def index() -> str:
    """The text of `index.json` as it should be: experiments keep their order, new ones come last in their subject."""
    order = [item["name"] for item in json.loads(INDEX.read_text())] if INDEX.exists() else []
    found = []
    for subject in SUBJECTS:
        own = [_line(experiment, subject) for experiment in _experiments(subject)]
        found += sorted(own, key=lambda line: order.index(line["name"]) if line["name"] in order else len(order))
    return "[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in found) + "\n]\n"


def _experiments(subject: str) -> list[Experiment]:
    package = importlib.import_module(f"gatefield.experiments.{subject}")
    modules = [importlib.import_module(f"{package.__name__}.{each.name}") for each in pkgutil.iter_modules(package.__path__)]
    return [module.experiment for module in modules if isinstance(getattr(module, "experiment", None), Experiment)]


def _line(experiment: Experiment, subject: str) -> dict[str, object]:
    words: dict[str, object] = {
        "name": experiment.name,
        "subject": subject,
        "title": experiment.title,
        "durations": dict(experiment.durations),
    }
    return words | {"source": experiment.source}


if __name__ == "__main__":
    INDEX.write_text(index())
