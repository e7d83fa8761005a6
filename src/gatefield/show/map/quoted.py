"""Verdicts at full size that the map quotes, kept in `quoted.json`.

`python -m gatefield.show.map.quoted benchmarks/results/full/verdicts.json` writes it, as part of `make map`.
"""

import dataclasses
import json
import math
import re
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
    error: float = 0.0
    """Of what is measured; 0 if none is known."""
    against: bool = False
    """Whether the claim says the opposite of what the source does."""

    @property
    def number(self) -> str:
        """What was measured, as sentences quote it: with its error, if one is known, to the first digit of that.

        >>> Quote("conditions", "", "confirmed", 0.64009, 0.00054).number, Quote("conditions", "", "confirmed", 0.64009).number
        ('0.6401 ± 0.0005', '0.64')
        """
        if not self.error:
            return f"{self.measured:.3g}"
        digits = max(0, -math.floor(math.log10(float(f"{self.error:.1g}"))))
        return f"{self.measured:.{digits}f} ± {self.error:.{digits}f}"


def kept_quotes() -> dict[str, tuple[Quote, ...]]:
    """Experiment -> what is quoted of it."""
    kept = json.loads(QUOTED.read_text(encoding="utf-8"))
    return {
        name: tuple(
            Quote(name, claim, outcome, float(measured), float(error[0]) if error else 0.0)
            for claim, outcome, measured, *error in lines
        )
        for name, lines in kept.items()
    }


def quoted(results: Mapping[str, Any], items: Iterable[Item]) -> str:
    """The text of `quoted.json`: claim, outcome, measured number and its error, if known, of all verdicts that items quote.

    - `results`: the content of `verdicts.json`. Entries of before verdicts had outcomes say only whether they hold, those of
      before they had errors have them in the words of their bound.
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
    return json.dumps([verdict["claim"], outcome, verdict["measured"], *_error(verdict)], ensure_ascii=False)


def _error(verdict: Mapping[str, Any]) -> list[float]:
    """The error, if there is one and it is known; with several bounds that of the first."""
    words = re.search(r"\(error ([\d.e+-]+)\)", str(verdict.get("tolerance", "")).partition(", and ")[0])
    error = float(verdict.get("error", words[1] if words else 0.0))
    return [error] if 0 < error < math.inf else []


if __name__ == "__main__":
    QUOTED.write_text(quoted(json.loads(Path(sys.argv[1]).read_text()), inventory()), encoding="utf-8")
