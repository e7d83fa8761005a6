"""The page is read back with the standard library's parser, not with the template engine that wrote it."""

import base64
import dataclasses
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from show_fakes import BUMP, FakeEntry, find

from gatefield import UserError, experiments
from gatefield.lab import resolve
from gatefield.lab.store.store import parameter_values
from gatefield.lab.verdict import Verdict
from gatefield.show import write_report
from gatefield.show.setting import setting

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
    assert not result.all("script")
    assert not any(key.startswith("on") for _, attrs in result.tags for key in attrs)
    raw = (tmp_path / "page.html").read_text()
    assert "url(" not in raw
    assert "@import" not in raw


def test_names_in_the_page_are_used_once_and_links_lead_somewhere(tmp_path):
    result = page(tmp_path, FakeEntry(), OTHER)
    names = [attrs["id"] for _, attrs in result.tags if "id" in attrs]
    assert len(names) == len(set(names))
    assert {f"#{name}" for name in names} >= {attrs["href"] for attrs in result.all("a")}


def test_figures_are_whole_pictures_with_words_for_those_who_cannot_see_them(tmp_path):
    (image,) = page(tmp_path, FakeEntry()).all("img")
    kind, _, data = (image["src"] or "").partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert ElementTree.fromstring(base64.b64decode(data)).tag.endswith("svg")
    assert image["alt"] == BUMP.title


def test_the_same_store_gives_the_same_bytes_in_any_order(tmp_path):
    first = write_report([FakeEntry(), OTHER], tmp_path / "a.html", find=find).read_bytes()
    second = write_report([OTHER, FakeEntry()], tmp_path / "b.html", find=find).read_bytes()
    assert first == second
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_verdicts_are_words_and_not_only_colours(tmp_path):
    text = page(tmp_path, FakeEntry()).text
    assert text.count("✓ confirmed") == text.count("✗ refuted") == 2  # once above, once in its section
    assert "12346" in text
    assert "It is narrower." in text
    assert " ".join(text.split()).count("1 experiment 2 claims ✓ 1 confirmed ✗ 1 refuted") == 1


def test_each_section_says_how_to_make_it_again(tmp_path):
    text = page(tmp_path, FakeEntry(), OTHER).text
    assert "gatefield run bump --set gain=3.0 --set steps=400 --set word=half\n" in text
    assert "gatefield run bump --set gain=5.0 --set steps=100000 --set 'word=a b' --store 'my store'\n" in text
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
    assert not result.all("script")
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
        (FakeEntry(status="unfinished"), ("goes on from where it stopped", "gatefield run bump --set gain=3.0")),
        (FakeEntry(problem="Its marker is corrupted: delete it.", parameters={}), ("Its marker is corrupted: delete it.",)),
        (Broken(), ("KeyError: 'fields'", "--set word=half --fresh")),
        (FakeEntry(name="gone"), ("KeyError: 'gone'",)),
    ],
)
def test_what_cannot_be_shown_is_named_with_what_to_do(tmp_path, entry, words):
    result = page(tmp_path, entry, OTHER)
    assert "Not shown" in result.text
    assert all(word in result.text for word in words)
    assert len(result.all("img")) == 1


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"Cannot write to '.*file'.*: .* choose a path that leads through folders only\."):
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
