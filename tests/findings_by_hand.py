"""Contests that take no time, and reports by hand."""

from gatefield.speed import Contest, Contestant, Missing, Report, Spread, Standing, Timed


def spread(value, least=None, most=None):
    return Spread(median=value, least=value if least is None else least, most=value if most is None else most)


def standing(contest="small", **ratios):
    """Against peers of these ratios; `None` for one that is missing."""
    ours = Timed(name="train", ms=spread(2.0, 1.5, 2.5), computed_ms=3.0)
    peers = [
        Timed(name=name, missing=f"not installed: {name}")
        if ratio is None
        else Timed(name=name, ratio=spread(ratio, ratio / 2, 2 * ratio), ms=spread(2 * ratio), computed_ms=1.0, error=2e-7)
        for name, ratio in ratios.items()
    ]
    return Standing(contest=contest, unit="step", ours=ours, peers=peers, load=0.5)


def report(*standings, quick=False, case="training"):
    return Report(quick=quick, repeats=3, time="now", machine={"cores": 2}, versions={"jax": "1"}, cases={case: [*standings]})


def contest(name="small", **peers):
    """Of calls that give what they are asked to; a peer that is a text is missing for that reason."""
    others = [Missing(key, call) if isinstance(call, str) else Contestant(key, call) for key, call in peers.items()]
    return Contest(name, "step", Contestant("ours", lambda: 0), others)
