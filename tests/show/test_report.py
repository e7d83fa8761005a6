"""The page is read back with the standard library's parser, not with the template engine that wrote it."""

import base64
import dataclasses
import hashlib
import io
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xarray as xr
from rich.console import Console
from show_fakes import BUMP, FakeEntry, find

from gatefield import UserError, experiments, show
from gatefield.lab import Parameters, Store, Verdict, parameter_values, resolve, run
from gatefield.show import show_outcome, write_report
from gatefield.show.kept import source_of
from gatefield.show.pictures import pictures_of
from gatefield.show.setting import setting

pytestmark = pytest.mark.wrong_types  # entries and outcomes are stand-ins

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """Tags with their attributes, and the text; refuses tags that do not close."""

    def __init__(self, path: Path):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self._open = "", []
        self.feed(path.read_text())
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def page(tmp_path, *entries) -> Page:
    return Page(write_report(entries, tmp_path / "page.html", find=find))


OTHER = FakeEntry(id="77aa", path=Path("my store/bump/77aa"), parameters={"gain": 5.0, "steps": 100_000, "word": "a b"})


def test_the_page_asks_for_nothing_from_outside(tmp_path):
    result = page(tmp_path, FakeEntry(), OTHER)
    addresses = [
        attrs[key] for _, attrs in result.tags for key in ("src", "href", "srcset", "data", "action") if attrs.get(key)
    ]
    assert addresses
    assert all(address and address.startswith(("#", "data:")) for address in addresses)
    (policy,) = [attrs["content"] for attrs in result.all("meta") if attrs.get("http-equiv") == "Content-Security-Policy"]
    raw = (tmp_path / "page.html").read_text()
    scripts = re.findall(r"<script>(.*?)</script>", raw, flags=re.S)
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    assert re.findall(r"'sha256-(.*?)'", policy or "") == digests  # these and no others
    assert "default-src 'none'" in (policy or "")
    assert "unsafe-eval" not in (policy or "")
    assert not any(key.startswith("on") for _, attrs in result.tags for key in attrs)
    assert "url(" not in raw
    assert "@import" not in raw


def test_names_in_the_page_are_used_once_and_links_lead_somewhere(tmp_path):
    result = page(tmp_path, FakeEntry(), OTHER)
    names = [attrs["id"] for _, attrs in result.tags if "id" in attrs]
    assert len(names) == len(set(names))
    links = {attrs["href"] or "" for attrs in result.all("a") if "href" in attrs}
    assert {f"#{name}" for name in names} >= {link for link in links if link.startswith("#")}
    assert {attrs["data-filter-for"] for attrs in result.all("li") if "data-filter-for" in attrs} <= set(names)


def test_figures_are_whole_pictures_with_words_for_those_who_cannot_see_them(tmp_path):
    (image,) = page(tmp_path, FakeEntry()).all("img")
    kind, _, data = (image["src"] or "").partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert ElementTree.fromstring(base64.b64decode(data)).tag.endswith("svg")
    assert image["alt"] == f"{BUMP.title}. {BUMP.title}"
    said = dataclasses.replace(BUMP, caption="(a) The field. (b) Its overlap.")
    (image,) = Page(write_report([FakeEntry()], tmp_path / "said.html", find=lambda name: said)).all("img")
    assert image["alt"] == f"{BUMP.title}. (a) The field. (b) Its overlap."


def test_the_same_store_gives_the_same_bytes_in_any_order(tmp_path):
    first = write_report([FakeEntry(), OTHER], tmp_path / "a.html", find=find).read_bytes()
    second = write_report([OTHER, FakeEntry()], tmp_path / "b.html", find=find).read_bytes()
    assert first == second
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_verdicts_are_words_and_not_only_colours(tmp_path):
    text = page(tmp_path, FakeEntry()).text
    assert text.count("✓ confirmed") == 2  # on a button above, and beside its claim
    assert text.count("✗ refuted") == 3  # and where marks are explained
    assert "12346" in text
    assert "It is narrower." in text
    assert " ".join(text.split()).count("1 experiment 2 claims ✓ 1 confirmed ✗ 1 refuted, a finding (1 claim of a source)") == 1


def test_every_outcome_has_its_word_and_is_counted(tmp_path):
    made = [
        Verdict.below("a", 1.0, 0.5),
        Verdict.below("b", 1.0, 2.0),
        Verdict.below("b too", 1.0, 2.0, kind="claim"),
        Verdict.below("b as well", 1.0, 2.0, kind="claim"),
        Verdict.below("c", 1.0, 0.9, error=0.5),
        Verdict.below("d", 1.0, 2.0, kind="control"),
        Verdict.not_judged("e", "needs n = 40, has 12; run with --set n=40"),
        Verdict.below("f", 1.0, 0.5, kind="regression"),
    ]
    judged = dataclasses.replace(BUMP, verdicts=lambda record: made)
    text = Page(write_report([FakeEntry()], tmp_path / "page.html", find=lambda name: judged)).text.partition('"use strict"')[0]
    found = "✓ 1 confirmed ✗ 3 refuted, findings (1 prediction, 2 claims of a source) ? 1 not decided – 1 not judged"
    words = " ".join(text.split())
    assert f"6 claims {found} + 2 checks ✓ 1 confirmed ≠ 1 off, a miss (1 control)" in words
    assert "6 claims + 2 checks ✓ 2" in words  # above the table
    assert text.count("✓ confirmed") == 3
    for words in ("? not decided", "≠ off", "– not judged"):
        assert text.count(words) == 2  # on a button above, and beside its claim
    assert text.count("needs n = 40, has 12; run with --set n=40") == 1
    assert "undefined" not in text


def test_claims_are_printed_though_they_are_folded(tmp_path):
    """Of more than two experiments; by the style, and by a script for browsers that do not know it."""
    many = [FakeEntry(id=f"{at}", path=Path(f"my store/bump/{at}"), parameters={"gain": at + 1.0}) for at in range(3)]
    result = page(tmp_path, *many)
    claims = [attrs for attrs in result.all("details") if attrs.get("class") == "claims"]
    assert len(claims) == 3
    assert not any("open" in attrs for attrs in claims)
    raw = (tmp_path / "page.html").read_text()
    style = raw.partition("@media print {")[2].partition("</style>")[0]
    assert ".claims::details-content { content-visibility: visible; }" in style
    assert not re.search(r"details:not\(\[open\]\) \{ display: none|#forest[^{]*\{[^}]*display: none", style)
    assert 'addEventListener("beforeprint"' in raw


def test_a_search_goes_through_texts_and_captions_too(tmp_path):
    said = dataclasses.replace(BUMP, caption="(a) Its overlap.", more_caption="The same again.")
    result = Page(write_report([FakeEntry()], tmp_path / "page.html", find=lambda name: said))
    (words,) = [attrs["data-filter-text"] or "" for attrs in result.all("article")]
    for part in ("condenses on a ring", "A neuron is trained on two kinds", "(a) Its overlap.", "The same again."):
        assert part in words
    assert "The field's peak is one" not in words  # or each claim would be found by the words of all


def test_the_finding_heads_its_section_and_its_figure(tmp_path):
    found = Verdict.above("peaks are high", 0.5, 1.0, found="the peak is 1.00", otherwise="the peak is low")
    judged = dataclasses.replace(BUMP, verdicts=lambda record: [found])
    write_report([FakeEntry()], tmp_path / "page.html", find=lambda name: judged)
    raw = (tmp_path / "page.html").read_text()
    assert "<h2>The peak is 1.00</h2>" in raw
    assert f'<p class="question">{BUMP.title}</p>' in raw
    assert show.draw(judged, FakeEntry().record()).get_suptitle() == "The peak is 1.00"


def test_pages_of_many_begin_with_small_pictures_that_lead_to_their_experiments(tmp_path):
    third = FakeEntry(id="88bb", path=Path("my store/bump/88bb"), parameters={"gain": 7.0, "steps": 400, "word": "a"})
    result = page(tmp_path, FakeEntry(), OTHER, third)
    small = [attrs for attrs in result.all("img") if (attrs["src"] or "").startswith("data:image/png;base64,")]
    assert len(small) == 3
    assert all(base64.b64decode((attrs["src"] or "").partition(",")[2]).startswith(b"\x89PNG") for attrs in small)
    first = [tag for tag, _ in result.tags].index("img")
    assert first < [attrs.get("id") for _, attrs in result.tags].index("bump-0123abcd")
    assert not [attrs for attrs in page(tmp_path, FakeEntry()).all("img") if "png" in (attrs["src"] or "")]


def test_a_claim_at_several_places_has_a_line_for_each(tmp_path):
    rows = {"n = 8": Verdict.within("", 1.0, 1.25, atol=0.5), "n = 40": Verdict.within("", 3.0, 4.75, atol=0.5)}
    judged = dataclasses.replace(BUMP, verdicts=lambda record: [Verdict.each("slopes are those of theory", rows)])
    text = Page(write_report([FakeEntry()], tmp_path / "page.html", find=lambda name: judged)).text
    assert "n = 811.25within 0.5 of 1✓ holds" in text
    assert "n = 4034.75within 0.5 of 3✗ missed" in text


def test_the_margins_of_all_claims_are_drawn_and_lead_to_them(tmp_path):
    result = page(tmp_path, FakeEntry(), OTHER)
    rows = [attrs["id"] for attrs in result.all("tr") if "id" in attrs]
    assert len(rows) == 4
    assert {f"#{row}" for row in rows} <= {attrs.get("href") for attrs in result.all("a")}
    assert len(result.all("circle")) == 2  # confirmed; refuted ones are crosses
    assert len([attrs for attrs in result.all("path") if attrs.get("class") == "no"]) == 2


def test_second_figures_frames_and_data_are_on_the_page(tmp_path):
    more = dataclasses.replace(
        BUMP,
        more=BUMP.figure,
        more_caption="The same again.",
        frames=lambda record: {"gain 1": BUMP.figure(record), "gain 3": BUMP.figure(record)},
        frames_caption="Turn the gain.",
    )
    result, record = Page(write_report([FakeEntry()], tmp_path / "page.html", find=lambda name: more)), FakeEntry().record()
    assert [attrs["alt"] for attrs in result.all("img")] == [
        "gain 1: Turn the gain.",
        "gain 3: Turn the gain.",
        f"{BUMP.title}. {BUMP.title}",
        "The same again.",
    ]
    assert len([attrs for attrs in result.all("input") if attrs.get("type") == "radio"]) == 2
    data, second = [attrs for attrs in result.all("a") if (attrs.get("download") or "").endswith(".csv")]
    assert (data["download"], second["download"]) == ("bump.csv", "bump-more.csv")
    assert data["href"] == second["href"]  # the same is drawn
    table = base64.b64decode((data["href"] or "").partition(",")[2]).decode().splitlines()
    assert table[0] == "panel,series,drawn as,x,y,value"
    assert [line for line in table if ",trained," in line][20] == f"Field,trained,dots,20,{record.field[20]:.7g},"
    assert len([line for line in table if ",map," in line]) == 1600
    overlap = float(record.theory[20] * record.theory[19])
    assert f"Overlap $w_i w_j$,,map,20,19,{overlap:.7g}" in table


def test_it_says_whose_claim_each_is_in_the_experiments_own_section(tmp_path):
    result = page(tmp_path, FakeEntry())
    assert len([attrs for attrs in result.all("span") if attrs.get("class") == "origin"]) == 2
    assert "The field's peak is oneprediction" in result.text
    assert "a quarter of the ringclaim, Fig. 2It is narrower." in result.text


def test_each_section_says_how_to_make_it_again(tmp_path):
    text = page(tmp_path, FakeEntry(), OTHER).text
    assert "gatefield run bump\n" in text
    assert "gatefield run bump --preset full --set gain=5.0 --set 'word=a b' --store 'my store'\n" in text
    assert "preset full, gain = 5.0, word = a b" in text
    assert "cpu (2 cores)" in text


def test_a_preset_is_known_by_its_parameters():
    experiment = experiments.get("localization")
    for name in experiment.presets:
        parameters = parameter_values(resolve(experiment, name))
        assert setting(experiment, parameters) == f"preset {name}"
    assert setting(experiment, parameter_values(resolve(experiment, "full", ["seed=5"]))) == "preset full, seed = 5"


@dataclasses.dataclass
class Hostile(FakeEntry):
    def record(self):
        return super().record().assign_attrs(note="</td><script>alert(1)</script>")


def test_hostile_text_stays_text(tmp_path):
    evil = Verdict.below("<img src=http://evil>", 1.0, float("nan"), of="\"'><script>", note="<script>")
    hostile = dataclasses.replace(BUMP, verdicts=lambda record: [evil])
    entry = Hostile(path=Path("<script>"), id='"><script>')
    result = Page(write_report([entry], tmp_path / "page.html", find=lambda name: hostile))
    assert len(result.all("script")) == len(page(tmp_path, FakeEntry()).all("script"))
    assert len(result.all("img")) == 1
    assert "<img src=http://evil>" in result.text
    assert "undefined" in result.text


def test_an_empty_store_says_what_to_run(tmp_path):
    text = page(tmp_path).text
    assert "Nothing to show yet" in text
    assert "gatefield tour" in text


@dataclasses.dataclass
class Broken(FakeEntry):
    def record(self):
        raise KeyError("fields")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (FakeEntry(status="unfinished"), ("goes on from where it stopped", "<pre>gatefield run bump</pre>")),
        (FakeEntry(problem="Its marker is corrupted: delete it.", parameters={}), ("Its marker is corrupted: delete it.",)),
        (Broken(), ("KeyError: 'fields'", "<pre>gatefield run bump --fresh</pre>")),
        (FakeEntry(name="gone"), ("KeyError: 'gone'",)),
    ],
)
def test_what_cannot_be_shown_is_named_with_what_to_do(tmp_path, entry, words):
    result = page(tmp_path, entry, OTHER)
    raw = (tmp_path / "page.html").read_text().replace("&#39;", "'")
    assert "Not shown" in result.text
    assert all(word in raw for word in words)
    assert len(result.all("img")) == 1


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"Cannot write to '.*page.html'.*: .* choose a path that leads through folders only\."):
        write_report([], tmp_path / "file" / "page.html", find=find)
    with pytest.raises(UserError, match=r"Cannot write to"):
        write_report([], tmp_path, find=find)


def test_an_older_page_stays_when_the_new_one_cannot_be_made(tmp_path, monkeypatch):
    path = write_report([], tmp_path / "page.html", find=find)
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(UserError, match="no space left on device"):
        write_report([FakeEntry()], path, find=find)
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["page.html"]


def finished(tmp_path, experiment, **changes):
    """A real store with one finished run of this experiment, its figure beside the record."""
    store = Store(tmp_path / "store")
    outcome = run(experiment, experiment.Parameters(**changes), store)
    show_outcome(experiment, outcome, Console(file=io.StringIO()))
    return store


def report(tmp_path, store, find):
    return Page(write_report(store.entries(), tmp_path / "page.html", find=find))


def unknown(name):
    raise UserError(f"Unknown experiment '{name}'.")


def test_verdicts_follow_from_the_record_when_the_page_is_made(tmp_path):
    """The experiment's code has changed since the run: claims, figure and text on the page are those of the code now."""
    store = finished(tmp_path, BUMP)
    changed = [Verdict.above("The field is wider than a site", 1.0, 4.0)]
    new = dataclasses.replace(BUMP, verdicts=lambda record: changed, text="Said otherwise.")
    text = report(tmp_path, store, lambda name: new).text
    assert "The field is wider than a site" in text
    assert "Said otherwise." in text
    assert "The field's peak is one" not in text


@pytest.mark.parametrize(
    ("origin", "why"),
    [
        ("my_study.py", "Its experiment is in my_study.py, which gatefield report my_study.py would ask; verdicts and figure"),
        ("", "Its experiment cannot be loaded here; verdicts and figure are as they were when it was last run."),
    ],
)
def test_without_its_experiment_a_run_is_shown_as_it_was_last_run(tmp_path, origin, why):
    store = finished(tmp_path, dataclasses.replace(BUMP, origin=origin), gain=5.0)
    result = report(tmp_path, store, unknown)
    assert why in result.text
    assert f"gatefield run {origin or 'bump'} --set gain=5.0 --set steps=1000 --set word=half --store" in result.text
    assert "The field's peak is one" in result.text
    assert "A field condenses on a ring" in result.text
    assert "Turn gain up and its field condenses." in result.text
    assert "gain = 5.0, steps = 1000, word = half" in result.text
    (image,) = result.all("img")
    (entry,) = store.entries()
    assert base64.b64decode((image["src"] or "").partition(",")[2]) == (entry.path / "figure.svg").read_bytes()


def test_a_run_whose_parameters_are_no_longer_those_of_its_experiment_is_shown_as_it_was(tmp_path):
    class Other(Parameters):
        size: int = 3

    store = finished(tmp_path, BUMP)
    other = dataclasses.replace(BUMP, Parameters=Other, presets={"quick": {}})
    result = report(tmp_path, store, lambda name: other)
    assert "Its experiment has other parameters by now; verdicts and figure are as they were" in result.text
    assert "Not shown" not in result.text


@dataclasses.dataclass
class Invalid(FakeEntry):
    def record(self):
        BUMP.Parameters(gain="steep")


@pytest.mark.parametrize("entry", [FakeEntry(parameters={"gain": "steep"}), Invalid()])
def test_the_page_has_no_words_of_the_library_that_checks_parameters(tmp_path, entry):
    text = page(tmp_path, entry).text
    assert "Not shown" in text
    assert "ValidationError" not in text
    assert "pydantic" not in text


def test_without_experiment_and_figure_there_is_a_gap(tmp_path):
    store = finished(tmp_path, BUMP)
    (store.entries()[0].path / "figure.svg").unlink()
    result = report(tmp_path, store, unknown)
    assert "Its experiment cannot be loaded here, and its figure was not kept; run it again." in result.text


def test_a_finished_entry_that_cannot_be_shown_is_told(tmp_path):
    """One whose figure was not kept; one that is not finished needs no word."""
    store, said = finished(tmp_path, BUMP), []
    (store.entries()[0].path / "figure.svg").unlink()
    path = write_report(store.entries(), tmp_path / "told.html", find=unknown, tell=said.append)
    assert said == [
        f"{BUMP.name} is not shown: Its experiment cannot be loaded here, and its figure was not kept; run it again."
    ]
    assert "Nothing to show yet" not in path.read_text()


def test_an_unfinished_run_of_a_file_names_the_file(tmp_path):
    def stops(parameters, bench):
        raise KeyboardInterrupt

    store, study = Store(tmp_path / "store"), dataclasses.replace(BUMP, origin="my_study.py", simulate=stops)
    with pytest.raises(KeyboardInterrupt):
        run(study, study.Parameters(), store)
    said = []
    write_report(store.entries(), tmp_path / "told.html", find=unknown, tell=said.append)
    assert said == []
    text = report(tmp_path, store, unknown).text
    assert "It is not finished; the same command goes on from where it stopped." in text
    assert "gatefield run my_study.py --set gain=3.0 --set steps=1000 --set word=half --store" in text


DRAWN = []


def drawn(record):
    """`BUMP`'s figure, counted."""
    DRAWN.append(record)
    return BUMP.figure(record)


COUNTED = dataclasses.replace(BUMP, figure=drawn)


@pytest.fixture
def counted(tmp_path):
    """A store with one finished run, drawn; and how often it is drawn from now on."""
    store = finished(tmp_path, COUNTED)
    DRAWN.clear()
    return store


def other_figure(record):
    DRAWN.append(record)
    return BUMP.figure(record)


def test_a_figure_is_drawn_once_for_the_same_record_and_code(tmp_path, counted):
    picture = (counted.entries()[0].path / "figure.svg").read_bytes()
    (image,) = report(tmp_path, counted, lambda name: COUNTED).all("img")
    assert DRAWN == []
    assert base64.b64decode((image["src"] or "").partition(",")[2]) == picture


def test_equal_runs_have_the_same_figure_to_the_byte(tmp_path):
    """However long they took, and whenever they were made; other parameters are another record."""
    record = finished(tmp_path, COUNTED).entries()[0].record()
    own = {"seconds": 3.0, "created": "2001-01-01", "resumed": 1}
    one, other, third = (
        pictures_of(COUNTED, record.assign_attrs(changed), tmp_path / "nowhere") for changed in ({}, own, {"gain": 7.0})
    )
    assert one == other != third


def test_other_numbers_or_names_are_another_source_of_a_figure():
    record = xr.Dataset({"loss": ("step", [0.5, 0.25])}, attrs={"gain": 3.0})
    others = [
        record.copy(deep=True),
        record.assign(loss=record.loss * 2),
        record.rename(loss="ipr"),
        record.assign_attrs(gain=4.0),
        record.astype("float32"),
    ]
    sources = [source_of(COUNTED, one) for one in others]
    assert sources[0] == source_of(COUNTED, record)
    assert len(set(sources)) == len(sources)


@pytest.mark.parametrize("origin", ["other code", "own file", "other record"])
def test_a_figure_is_drawn_again_when_what_it_was_drawn_from_may_have_changed(tmp_path, counted, origin):
    experiment = COUNTED
    if origin == "other code":
        experiment = dataclasses.replace(COUNTED, figure=other_figure)
    elif origin == "own file":
        experiment = dataclasses.replace(COUNTED, origin="my_study.py")
    else:
        other = finished(tmp_path / "other", COUNTED, gain=5.0).entries()[0].path
        (other / "figure.svg").rename(counted.entries()[0].path / "figure.svg")
        DRAWN.clear()
    for times in (1, 2 if origin == "own file" else 1):
        report(tmp_path, counted, lambda name: experiment)
        assert len(DRAWN) == times


@pytest.mark.parametrize("damage", [b"", b"<svg>foreign</svg>", "cut", "flipped", "folder", "fifo"])
def test_a_figure_that_is_not_as_it_was_drawn_is_never_shown(tmp_path, counted, damage):
    path = counted.entries()[0].path / "figure.svg"
    before = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage == "fifo":  # who reads one waits for somebody to write
        os.mkfifo(path)
    else:
        path.write_bytes({"cut": before[:-300], "flipped": before.replace(b"path", b"poth", 1)}.get(damage, damage))
    assert "its figure was not kept; run it again" in report(tmp_path, counted, unknown).text
    (image,) = report(tmp_path, counted, lambda name: COUNTED).all("img")
    assert base64.b64decode((image["src"] or "").partition(",")[2]) == before
    assert len(DRAWN) == 1
    assert damage in ("folder", "fifo") or path.read_bytes() == before


@pytest.fixture
def judged(tmp_path):
    """A store with one finished run that was reported once; how often its record is judged from now on; and the page."""
    times = []

    def verdicts(record):
        times.append(record)
        large = Verdict.above("The field has a largest site", 0.0, record.position.max())
        return [*BUMP.verdicts(record), large, Verdict.not_judged("The field is old", "needs 9 steps; run with --set steps=9")]

    experiment = dataclasses.replace(BUMP, verdicts=verdicts)
    store = finished(tmp_path, experiment)
    page = report(tmp_path, store, lambda name: experiment).text
    times.clear()
    return store, experiment, times, page


def test_what_follows_from_a_record_is_worked_out_once(tmp_path, judged, monkeypatch):
    store, experiment, times, page = judged
    monkeypatch.setattr("gatefield.lab.store.store.open_record", lambda path: pytest.fail("the record is read"))
    again = report(tmp_path, store, lambda name: experiment).text
    assert (again, times) == (page, [])
    assert "The field has a largest site" in again


@pytest.mark.parametrize("change", ["code", "cut", "other run", "figure", "file"])
def test_what_follows_from_a_record_is_worked_out_again(tmp_path, judged, change):
    store, experiment, times, page = judged
    path = store.entries()[0].path / "shown.json"
    if change == "code":
        experiment = dataclasses.replace(experiment, figure=other_figure)
    elif change == "cut":
        path.write_bytes(path.read_bytes()[:-40])
    elif change == "other run":
        other = finished(tmp_path / "other", experiment, gain=5.0)
        report(tmp_path / "other", other, lambda name: experiment)
        path.write_bytes((other.entries()[0].path / "shown.json").read_bytes())
        times.clear()
    elif change == "figure":
        (path.parent / "figure.svg").unlink()
    else:
        experiment = dataclasses.replace(experiment, origin="my_study.py")
    again = report(tmp_path, store, lambda name: experiment).text
    assert len(times) == 1
    assert again == page or change in ("code", "file")


def test_a_damaged_record_is_told_though_all_that_follows_is_kept(tmp_path, judged):
    store, experiment, _, page = judged
    assert "Not shown" not in page
    chunk = next(path for path in (store.entries()[0].path / "record").rglob("c/*") if path.is_file())
    chunk.write_bytes(bytes([chunk.read_bytes()[0] ^ 1]) + chunk.read_bytes()[1:])
    assert "corrupted" in report(tmp_path, store, lambda name: experiment).text


def test_progress_is_told_after_each_entry(tmp_path):
    calls = []
    write_report([FakeEntry(), OTHER], tmp_path / "page.html", find=find, progress=lambda *now: calls.append(now))
    assert calls == [(1, 2), (2, 2)]


def test_the_room_lists_its_names():
    names = {"draw", "save", "svg_text", "write_report", "show_outcome", "describe_experiment", "show_experiments"}
    assert names <= set(dir(show))
    assert set(show.__all__) <= set(dir(show))
    with pytest.raises(AttributeError, match="no attribute 'wirte_report'"):
        show.wirte_report  # noqa: B018
