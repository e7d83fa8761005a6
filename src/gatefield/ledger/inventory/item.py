"""What an item of a source is."""

from typing import Literal

import pydantic

Kind = Literal["definition", "equation", "statement", "claim", "figure", "table", "experiment", "question", "context"]
"""`statement`: a lemma, theorem or corollary; `question`: also what is left to do, or has a heading only; `context`: what the
source tells of others' work."""


class Item(pydantic.BaseModel):
    """One figure, table, equation, lemma, experiment, claim or question of a source, and where gatefield has it.

    What became of it is not written here: it follows from the formulas, or from verdicts at full size. To add one, put a table
    into the file of its source, then say `make map`.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    name: str
    """Short, and unique in its source: the name of the table."""
    source: str
    """`000` to `004`."""
    place: str
    """Such as `equation 12` or `section 4.1, open question`."""
    kind: Kind
    says: str
    """What the source says or asks, in one sentence."""
    formulas: tuple[str, ...] = ()
    """Formulas of the ledger; what became of them is what became of the item."""
    experiments: tuple[str, ...] = ()
    """Experiments that show it, beside those of `verdicts` and `against`."""
    verdicts: dict[str, tuple[str, ...]] = {}
    """Experiment -> parts of claims; all verdicts with such a part decide, where there is no formula."""
    against: dict[str, tuple[str, ...]] = {}
    """The same for claims that say the opposite."""
    functions: tuple[str, ...] = ()
    """What implements it, such as `nets.Committee`."""
    answer: str = ""
    """To a question, in one sentence; `{0}` is the number that the first verdict with the first part of `verdicts` measured,
    with its error if the verdict has one. Ranges and numbers of other places are written out."""
    remark: str = ""
    """What a reader should know beside the status."""
    conditional: bool = False
    """Whether what verdicts confirm holds with a condition only, which the remark says: they look at one setting of many."""
    missing: str = ""
    """What gatefield does not have of it."""

    @property
    def shown_by(self) -> tuple[str, ...]:
        """All experiments that the item names."""
        return tuple(dict.fromkeys([*self.verdicts, *self.against, *self.experiments]))
