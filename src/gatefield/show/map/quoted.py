"""Verdicts at full size that the map quotes, kept in `quoted.json`.

`python -m gatefield.show.map.quoted benchmarks/results/full/verdicts.json` writes it, as part of `make map`.
"""

import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gatefield.ledger import Item, inventory

QUOTED = Path(__file__).with_name("quoted.json")


@dataclasses.dataclass(frozen=True)
class Quote:
    """What became of a claim at full size."""

    experiment: str
    claim: str
    outcome: str
    measured: float
    against: bool = False
    """Whether the claim says the opposite of what the source does."""


def kept_quotes() -> dict[str, tuple[Quote, ...]]:
    """Experiment -> what is quoted of it."""
    kept = json.loads(QUOTED.read_text(encoding="utf-8"))
    return {
        name: tuple(Quote(name, claim, outcome, float(measured)) for claim, outcome, measured in lines)
        for name, lines in kept.items()
    }


def quoted(results: Mapping[str, Any], items: Iterable[Item]) -> str:
    """The text of `quoted.json`: claim, outcome and measured number of all verdicts that items quote.

    - `results`: the content of `verdicts.json`. Entries of before verdicts had outcomes say only whether they hold.
    """
    texts = dict[str, set[str]]()
    for item in items:
        for named in (item.verdicts, item.against):
            for name, parts in named.items():
                texts.setdefault(name, set()).update(parts)
    lines = [
        f"{json.dumps(name)}: [\n" + ",\n".join(_line(verdict) for verdict in chosen) + "\n]"
        for name, entry in sorted(results["experiments"].items())
        if (chosen := [verdict for verdict in entry["verdicts"] if any(t in verdict["claim"] for t in texts.get(name, ()))])
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(verdict: Mapping[str, Any]) -> str:
    outcome = verdict.get("outcome") or ("confirmed" if verdict["holds"] else "refuted")
    return json.dumps([verdict["claim"], outcome, verdict["measured"]], ensure_ascii=False)


if __name__ == "__main__":
    QUOTED.write_text(quoted(json.loads(Path(sys.argv[1]).read_text()), inventory()), encoding="utf-8")
