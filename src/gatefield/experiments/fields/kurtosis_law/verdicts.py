"""What a record of `kurtosis-law` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import rankdata

from gatefield.experiments.by_seed import seeds_text
from gatefield.experiments.fields.kurtosis_law.rules import (
    correlation,
    edge,
    final,
    localized,
    margins,
    path_ipr,
    ranking,
    share_right,
)
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, lacking, lasting, undecided

ENOUGH = 250.0
"""Time in tau after which fields that localize have done so."""
OFTEN = 0.9
"""A rule that decides gives the right answer in this share of cases; the rest are so near to its edge that samples decide."""
CLOSELY = 0.7
"""A correlation that explains half of the variance."""
ORDERED = 0.9
"""A rank correlation of laws that are in order, but for neighbours."""
SPAN = 1.96
"""Standard errors of a 95 % interval."""
LOSS = 0.02
"""By which part a trained neuron's loss may exceed that of its best size: that of minibatch noise and of the sample."""
PUBLISHED = "Ingrosso and Goldt, 2022; Lufkin, Saxe and Grant, 2024"
WORDS = {
    "kurtosis": "excess kurtosis of a site is negative",
    "sharpness": "sharpness (E|x|)²/E x² of a site exceeds 2/π",
    "depth": "score c²/D of a state around one site exceeds that of every wave",
    "path": "score c²/D rises from the best wave, through ever narrower packets of it, to an IPR above 6/n",
}
_BETTER = "the path of the score orders laws and orders by localization better than the excess kurtosis does"
_MORE = ("gain:0.3", "gain:1", "gain:inf")
EXAMPLES = {"levels:0.5": "long", "algebraic:5": "equal"}
"""Laws on which kurtosis and sharpness disagree, and the order in which they are asked."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    rules = [_loss(record), *_rules(record), _better(record), _width(record), *_ranks(record)]
    out = [*rules, *_examples(record), _shorter(record), *_ising(record), _clones(record)]
    return undecided(lacking(lasting(record, ENOUGH)), *out)


def _loss(record: xr.Dataset) -> Verdict:
    off = (record.trained_loss / record.best_loss - 1).median("seed").values.ravel()
    return Verdict.within(
        "trained neurons have the loss 1/4 - c²/(8D) on every law and in every order of ranges",
        0.0,
        float(off[np.argmax(np.abs(off))]),
        atol=LOSS,
        of="relative difference where it is largest",
        note=f"median over seeds; largest of {off.size} cases, mean {off.mean():.4f}",
    )


def _rules(record: xr.Dataset) -> list[Verdict]:
    """Each rule, with the longer range positive, where it was found, and in all orders."""
    found, all_ = localized(record), margins(record)
    parts = {"longer range positive": {"order": ["long"]}, "all orders": {}}
    out = []
    for rule, words in WORDS.items():
        said: dict[str, Any] = {"path": _path_words(record), "kurtosis": {"kind": "claim", "source": PUBLISHED}}
        said["kurtosis"] |= _kurtosis_words(record)
        of = "share of cases with the right answer"
        shares = {where: share_right(all_[rule].sel(part), found.sel(part)) for where, part in parts.items()}
        rows = {where: Verdict.above("", OFTEN, share, or_equal=True, of=of) for where, share in shares.items()}
        note = _wrong((all_[rule] > 0) != found)
        out.append(
            Verdict.each(f"a field localizes where the {words}, and not elsewhere", rows, note=note, **said.get(rule, {}))
        )
    return out


def _kurtosis_words(record: xr.Dataset) -> dict[str, str]:
    """What the headline says of the kurtosis, and beside it of the path."""
    found, all_ = localized(record), margins(record)
    wrong, cases = (all_.kurtosis > 0) != found, found.size
    missed, path = int(wrong.sum()), int(((all_.path > 0) != found).sum())
    time = f"{_time(record):,.0f} τ"
    return {
        "found": f"the sign of the excess kurtosis tells in {cases - missed} of {cases} cases whether a field localizes, "
        f"after {time}",
        "otherwise": f"excess kurtosis is wrong on localization in {missed} of {cases} cases, a score that rises all the "
        f"way in {path} ({time})",
    }


def _path_words(record: xr.Dataset) -> dict[str, str]:
    """What the headline of the second figure says: how often the score rises, where fields localize and where they do not."""
    found, rises = localized(record), margins(record).path > 0
    yes, no = f"{int((rises & found).sum())} of {int(found.sum())}", f"{int((rises & ~found).sum())} of {int((~found).sum())}"
    words = f"from the best wave to one site the score rises beyond an IPR of 6/n in {yes} cases that localize within "
    words += f"{_time(record):,.0f} τ, and in {no} that do not"
    return {"more_found": words, "more_otherwise": words}


def _wrong(cases: xr.DataArray) -> str:
    """How often a rule is wrong, and with the longer range positive the laws, by name."""
    long = cases.sel(order="long")
    names = ", ".join(map(str, long.law.values[long.values])) or "none"
    return f"wrong in {int(cases.sum())} of {cases.size} cases; with the longer range positive: {names}"


def _better(record: xr.Dataset) -> Verdict:
    """By the ranking, which needs no threshold."""
    found, all_ = localized(record), margins(record)
    quality, claim = {rule: ranking(all_[rule], found) for rule in WORDS}, _BETTER
    if np.isnan(quality["path"]):
        longer = {"steps": 10 * int(record.attrs["steps"])}
        some = Need("fields that localize and fields that do not", f"{int(found.sum())} of {found.size} that do", longer)
        return Verdict.not_judged(claim, lacking(some))
    text = ", ".join(f"{rule} {value:.2f}" for rule, value in quality.items())
    return Verdict.above(
        claim,
        0.0,
        quality["path"] - quality["kurtosis"],
        error=_ranking_error(all_, found),
        of="chance that a case that localizes ranks above one that does not, path less kurtosis",
        note=f"{text}; a rule that knows nothing has 0.5; the error is a 95 % one, by leaving out one law after the other",
    )


def _ranking_error(all_: xr.Dataset, found: xr.DataArray) -> float:
    """Of the difference between path and kurtosis: jackknife over laws; infinite where too few can be left out."""
    kept = [[other for other in found.law.values if other != law] for law in found.law.values]
    each = [
        ranking(all_.path.sel(law=laws), found.sel(law=laws)) - ranking(all_.kurtosis.sel(law=laws), found.sel(law=laws))
        for laws in kept
        if laws
    ]
    count = len(each)
    if count < 2 or np.isnan(each).any():
        return float("inf")
    return float(SPAN * np.sqrt((count - 1) * np.var(each)))


def _width(record: xr.Dataset) -> Verdict:
    """The path gives a number, too."""
    said, found = (np.log(values.values.ravel()) for values in (path_ipr(record), final(record).median("seed")))
    r = correlation(said, found)
    return Verdict.above(
        "the IPR at the end of the score's path follows that of SGD over laws and orders",
        CLOSELY,
        r,
        error=_correlation_error(r, found.size),
        of="correlation of the logarithms",
        note=f"{found.size} cases; half of the variance explained is 0.7; the error is a 95 % one",
    )


def _correlation_error(r: float, count: int) -> float:
    """Half of the 95 % interval of a correlation, to first order."""
    return SPAN * (1 - r**2) / np.sqrt(max(1, count - 1))


def _ranks(record: xr.Dataset) -> list[Verdict]:
    """Where it was published, with the longer range positive: the order of the laws, whatever the threshold."""
    start = "with the longer range positive the IPR of SGD follows the"
    claims = {
        "kurtosis": f"{start} excess kurtosis, the lower the larger",
        "path": f"{start} IPR at the end of the score's path",
    }
    words: Any = {"kurtosis": {"kind": "claim", "source": PUBLISHED}, "path": {"kind": "prediction"}}
    laws = [str(law) for law in record.law.values]
    few = Need("three laws or more", str(len(laws)), {"laws": [*laws, *(law for law in _MORE if law not in laws)]})
    if why := lacking(few if len(laws) < 3 else None):
        return [Verdict.not_judged(claim, why, **words[rule]) for rule, claim in claims.items()]
    found, all_ = final(record).sel(order="long").median("seed"), margins(record).sel(order="long")
    ranks = {rule: correlation(rankdata(all_[rule]), rankdata(found)) for rule in claims}
    errors = {rule: _correlation_error(rank, len(laws)) for rule, rank in ranks.items()}
    note = f"over {len(laws)} laws; the error is a 95 % one"
    return [
        Verdict.above(claims[rule], ORDERED, ranks[rule], error=errors[rule], of="rank correlation", note=note, **words[rule])
        for rule in claims
    ]


def _examples(record: xr.Dataset) -> list[Verdict]:
    """Laws of negative kurtosis that are not sharp, and of positive kurtosis that are."""
    least = edge(record)
    claims = {
        "levels:0.5": "a law of three levels, of negative excess kurtosis but not sharp, does not localize the field, with the "
        "longer range positive",
        "algebraic:5": "a law of algebraic tails, of positive excess kurtosis but sharp, localizes the field, with identical "
        "classes",
    }
    out = []
    for law, order in EXAMPLES.items():
        if why := _lacking_law(record, law):
            out.append(Verdict.not_judged(claims[law], why))
            continue
        values, site = final(record).sel(law=law, order=order), record.sel(law=law)
        judge = Verdict.below if law == "levels:0.5" else Verdict.above
        note = f"excess kurtosis {float(site.kurtosis):.2f}, sharpness {float(site.sharpness):.3f}; IPR {seeds_text(values)}"
        out.append(judge(claims[law], least, float(values.median()), of="median IPR", note=note))
    return out


def _lacking_law(record: xr.Dataset, law: str) -> str:
    laws = [str(name) for name in record.law.values]
    return "" if law in laws else lacking(Need(f"the law {law}", ", ".join(laws), {"laws": [*laws, law]}))


def _shorter(record: xr.Dataset) -> Verdict:
    median = final(record).sel(order="short").median("seed")
    law = str(median.law.values[int(np.argmax(median.values))])
    return Verdict.below(
        f"with its two ranges swapped, the shorter one positive, no law localizes the field within {_time(record):g} τ",
        edge(record),
        float(median.max()),
        of="largest median IPR over laws",
        kind="claim",
        source="note 000, section 1: localization if the positive class has the longer range, else short-range oscillations",
        note=f"{law}: {seeds_text(final(record).sel(order='short', law=law))}; other pairs of ranges do (late-localization)",
    )


def _time(record: xr.Dataset) -> float:
    return float(record.time[-1])


def _ising(record: xr.Dataset) -> list[Verdict]:
    """On the Ising ring the best waves of both orders have the same D, 1 + exp(-2 |J1 - J0|)."""
    claim = "the Ising ring localizes the field in both orders of its ranges"
    if why := _lacking_law(record, "ising"):
        return [Verdict.not_judged(claim, why)]
    values = final(record).sel(law="ising", order=["long", "short"])
    least = values.median("seed").min()
    return [
        Verdict.above(
            claim,
            edge(record),
            float(least),
            of="smaller median IPR of the two orders",
            note="; ".join(f"{order}: {seeds_text(values.sel(order=order))}" for order in ("long", "short")),
        )
    ]


def _clones(record: xr.Dataset) -> Verdict:
    median = record.clone_ipr.median("clone_seed")
    return Verdict.below(
        "Gaussian data with the covariances of the laws that are not Gaussian localize no field",
        edge(record),
        float(median.max()),
        of=f"largest median IPR over {median.size} cases",
        kind="control",
    )
