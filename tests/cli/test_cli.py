"""The command line as users meet it: in processes of its own where time and exit codes count, else by `main`."""

import contextlib
import dataclasses
import gc
import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

import pytest

from gatefield import experiments
from gatefield.cli import main
from gatefield.cli.command_line import heed_signals
from gatefield.cli.data import Data
from gatefield.cli.tour import EXPERIMENTS

WITH_CACHES = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
SIZE = {"n": 12, "batch_size": 200, "steps": 60, "seeds": 2}
TINY = ["gaussian-neuron", *(f"{name}={value}" for name, value in SIZE.items())]
pytestmark = pytest.mark.xdist_group("cli")


def command(*words: str, **settings) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "gatefield", *words]
    return subprocess.run(arguments, capture_output=True, text=True, env=WITH_CACHES, timeout=120, **settings)


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the command is given; the store is in it, if there is one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A store with one finished run, and what was printed for it."""
    store = tmp_path_factory.mktemp("finished") / "store"
    return store, command("run", *TINY, "--store", str(store))


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["run", "--help"],
        ["check", "--help"],
        ["tour", "--help"],
        ["store", "--help"],
        ["figure", "--help"],
        ["bench", "--help"],
        ["bench", "nope"],
        ["--version"],
        ["completion", "bash"],
        ["rnu"],
        ["run", "nope"],
        [],
    ],
    ids=" ".join,
)
def test_light_commands_take_less_than_a_second_of_cpu_time(words):
    command(*words)  # compiles what was not imported before
    before = cpu_seconds()
    result = command(*words)
    assert cpu_seconds() - before < 1.0
    assert "Traceback" not in result.stderr


def test_help_does_not_load_what_only_runs_need():
    program = "import sys; from gatefield.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    for words in (["run", "--help"], ["figure", "--help"], ["bench", "--help"], ["completion", "zsh"]):
        result = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=60)
        loaded = set(result.stdout.splitlines()[-1].split())
        assert "tyro" in loaded
        assert not loaded & {"jax", "numpy", "xarray", "matplotlib", "pydantic", "zarr"}


def test_version(capsys):
    from gatefield import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gatefield {__version__}\n"


def test_help_names_every_command(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("tour", "list", "run", "report", "figure", "store", "check", "data"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rnu"], "gatefield: Unknown command 'rnu': did you mean 'run'?"),
        (["run"], "gatefield: No experiment is named: give one or more of those that `gatefield list` shows, or --all."),
        (["run", "localisation"], "gatefield: Unknown experiment 'localisation': did you mean 'localization'?"),
        (["run", "gaussian-neuron", "--preset", "quik"], "gatefield: Unknown preset 'quik': did you mean 'quick'?"),
        (["run", *TINY, "--set", "gian=3"], "gatefield: Unknown parameter 'gian': did you mean 'gain'?"),
        (["run", *TINY, "--set", "gain"], "gatefield: A setting is written name=value, but 'gain' has no '='"),
        (["run", *TINY, "gain=-3"], "must be zero or more"),
        (["run", *TINY, "--set", "learning_rate=many"], "'many'"),
        (["run", "my-study"], "One of your own is named by its file, as in `gatefield run FILE.py`."),
        (["list", "my-study"], "One of your own is named by its file, as in `gatefield run FILE.py`."),
        (
            ["run", *TINY, "--sett", "gain=3"],
            "gatefield: Unknown option '--sett': did you mean '--set'? There are: --all, --fresh",
        ),
        (["report", "--stroe", "s"], "gatefield: Unknown option '--stroe': did you mean '--store'?"),
        (["run", *TINY, "-x"], "gatefield: Unknown option '-x'"),
        (["run", *TINY, "--preset"], "gatefield: The option --preset needs a value after it: write --preset VALUE"),
        (["run", *TINY, "--preset", "--fresh"], "gatefield: The option --preset needs a value after it"),
        (["run", *TINY, "--fresh=yes"], "gatefield: The option --fresh takes no value, but is given as"),
        (["--store", "s"], "gatefield: No command is named beside '--store': start with one of tour, list, run"),
        (
            ["completion", "fsh"],
            "gatefield: Unknown word after completion 'fsh': did you mean 'zsh'? There are: bash, tcsh, zsh.",
        ),
        (["completion"], "gatefield: Unknown word after completion"),
        (["tour", "quickly"], "gatefield: `gatefield tour` takes options only, but 'quickly' is none"),
        (["check", "45"], "gatefield: `gatefield check` takes options only, but '45' is none"),
        (["check", "--source", "a", "b", "--store"], "gatefield: The option --store needs a value after it"),
        (["run", *TINY, "--store", ""], "gatefield: The option --store needs a value after it"),
        (["run", *TINY, "--store="], "gatefield: The option --store needs a value after it"),
        (["run", *TINY, "--set", "seeds"], "write for instance seeds=3."),
        (["report", "localization"], "gatefield: After `report` come files with experiments of your own"),
        (["report", "--output", "a\0b"], "gatefield: A word on the command line must be without a zero byte"),
        (["report", "--output", "/dev/null/page.html"], "gatefield: Cannot write to '/dev/null/page.html' (not a directory)"),
    ],
)
def test_what_the_user_can_put_right_is_said_in_short(folder, capsys, words, sentence):
    assert main(words) == 2
    text = capsys.readouterr().err
    assert sentence in text
    assert "Traceback" not in text
    assert text.splitlines()[-1].startswith("gatefield: ")
    assert len(text.splitlines()) <= 2  # a run says first that it is loading
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("error", [MemoryError("Unable to allocate 7 TiB"), ValueError("array is too big; `arr.size`")])
def test_arrays_without_room_are_one_sentence(folder, capsys, monkeypatch, error):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr("gatefield.lab.run", fails)
    assert main(["run", "fourier-basis", "n=99999"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("gatefield: fourier-basis with preset quick, n=99999 takes more memory than there is (")
    assert last.endswith("): choose smaller sizes.")


def test_a_run_prints_verdicts_and_names_record_and_figure(finished):
    store, result = finished
    (entry,) = (store / "gaussian-neuron").glob("[0-9a-f]*")
    assert result.returncode == 0
    assert result.stderr.startswith("gaussian-neuron: loading, preset quick\ngaussian-neuron: starting\n")
    assert "gaussian-neuron: finished in" in result.stdout
    assert "  After 0.6 τ one neuron on Gaussian data is" in result.stdout  # the headline
    assert ": the loss of one ReLU neuron trained by SGD on Gaussian data ends as" in result.stdout
    assert result.stdout.splitlines()[-2:] == [f"  record: {entry}", f"  figure: {entry / 'figure.svg'}"]
    assert (entry / "figure.svg").read_bytes().startswith(b"<?xml")


def test_a_second_run_says_where_the_first_is_and_one_that_fails_does_not_stop_it(finished, folder, capsys):
    assert main(["run", "nope", *TINY, "--store", str(finished[0])]) == 2
    streams = capsys.readouterr()
    assert "gatefield: Unknown experiment 'nope'" in streams.err
    assert "starting" not in streams.err
    assert f"gaussian-neuron: already in the store: {finished[0] / 'gaussian-neuron'}" in streams.out


def test_all_is_every_experiment_that_is_listed(finished, folder, monkeypatch, capsys):
    settings = [word for word in TINY if "=" in word]
    monkeypatch.setattr("gatefield.experiments.names", lambda: ("bumps", "gaussian-neuron"))
    assert main(["run", "--all", "gaussian-neuron", *settings, "--store", str(finished[0])]) == 2
    streams = capsys.readouterr()
    assert streams.err.count("gatefield: ") == 1, "bumps has not all of these parameters, which does not stop the next"
    assert streams.out.count("gaussian-neuron: already in the store") == 1, "once, though it is named, too"


def test_the_environment_names_the_store(finished, folder, monkeypatch, capsys):
    monkeypatch.setenv("GATEFIELD_STORE", str(finished[0]))
    assert main(["run", *TINY]) == 0
    assert "already in the store" in capsys.readouterr().out
    assert list(folder.iterdir()) == []


def test_the_report_is_the_same_twice(finished, folder, capsys):
    assert main(["report", "--store", str(finished[0])]) == 0
    page = folder / "gatefield-report.html"
    assert capsys.readouterr().out == f"The report page, for any browser: {page}\n"
    assert main(["report", "--store", str(finished[0]), "--output", "again.html"]) == 0
    assert (folder / "again.html").read_bytes() == page.read_bytes()
    assert b"n = 12" in page.read_bytes()
    assert b"Not shown" not in page.read_bytes()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_report_shows_its_progress_in_a_terminal(finished, folder, monkeypatch):
    told = []
    monkeypatch.setattr("gatefield.core.progress.Bars.__call__", lambda self, *call: told.append(call))
    monkeypatch.setattr("sys.stderr", Terminal())
    assert main(["report", "--store", str(finished[0])]) == 0
    assert told[-1] == ("", 1, 1)


def test_the_report_of_an_empty_store_says_what_to_run(folder, capsys):
    (folder / "gatefield-store").mkdir()
    assert main(["report"]) == 0
    assert capsys.readouterr().err == "gatefield: the store 'gatefield-store' holds no entries yet.\n"
    assert "gatefield tour" in (folder / "gatefield-report.html").read_text()


@pytest.fixture
def paths(folder):
    """Paths of every kind that is not a folder to read or a file to write."""
    (folder / "file").write_text("kept")
    (folder / "folder").mkdir()
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    os.mkfifo(folder / "fifo")
    return folder


@pytest.mark.parametrize(
    ("store", "sentence"),
    [
        ("nope", "There is no store 'nope': name another one by --store, or make this one by `gatefield tour --store nope`."),
        ("file", "gatefield: The store 'file' is a file: give a folder."),
        ("file/below", "gatefield: There is no store 'file/below'"),
        ("a", "a'"),
        ("x" * 300, "(file name too long): choose a shorter path."),
    ],
)
def test_the_report_of_a_store_that_is_not_there_is_refused(paths, capsys, store, sentence):
    assert main(["report", "--store", store]) == 2
    text = capsys.readouterr().err
    assert sentence in text
    assert len(text) < 400
    assert not (paths / "gatefield-report.html").exists()


@pytest.mark.parametrize(
    ("output", "kind"), [("/", "a folder"), ("folder", "a folder"), ("fifo", "a FIFO"), ("terminal", "a device"), ("a", "")]
)
@pytest.mark.parametrize("verb", ["report", "check"])
def test_pages_replace_plain_files_only(paths, capsys, monkeypatch, verb, output, kind):
    monkeypatch.setattr("gatefield.ledger.check", None)  # refused before any work
    master, terminal = os.openpty()  # a device in whose folder nothing can be made: it outlives a test that fails
    (paths / "terminal").symlink_to(os.ttyname(terminal))
    assert main([verb, "--output", output, "--store", "folder"]) == 2
    assert f"gatefield: Cannot write to '{output}'" in (text := capsys.readouterr().err)
    assert kind in text
    assert (paths / "a").is_symlink()
    assert (paths / "terminal").is_symlink()
    os.close(master)
    os.close(terminal)


@pytest.mark.parametrize("words", [["report"], ["report", "mine.py"], ["check", "--name", "eq25"], ["map"]])
def test_a_page_replaces_pages_only(folder, capsys, monkeypatch, words):
    """Notes, a study that is read by the same command, a picture: all stay as they are."""
    monkeypatch.setattr("gatefield.ledger.check", None)  # refused before any work
    for name, content in {"notes.txt": b"dear diary", "mine.py": b"import gatefield", "a.html": b"\x89PNG"}.items():
        (folder / name).write_bytes(content)
        store = ["--store", "."] if words != ["map"] else []
        assert main([*words, "--output", name, *store]) == 2
        said = capsys.readouterr().err
        assert f"Cannot write to '{name}', since the file that is there is not an HTML page, and would be lost: choose" in said
        assert (folder / name).read_bytes() == content


@pytest.mark.parametrize("begins", [b"", b"\n <!DOCTYPE HTML>old", b"\xef\xbb\xbf<html>"])
def test_a_page_replaces_an_empty_file_and_an_older_page(folder, begins):
    (folder / "store").mkdir()
    (folder / "page.html").write_bytes(begins)
    assert main(["report", "--store", "store", "--output", "page.html"]) == 0
    assert "Nothing to show yet" in (folder / "page.html").read_text()


def test_the_map_in_markdown_replaces_a_map_only(folder, capsys):
    (folder / "README.md").write_text("# My project")
    assert main(["map", "--output", "README.md"]) == 2
    assert "is not a reproduction map" in capsys.readouterr().err
    for _ in range(2):
        assert main(["map", "--output", "map.md"]) == 0


@pytest.mark.parametrize("there", [True, False])
def test_a_page_goes_where_a_link_leads(folder, there):
    (folder / "store").mkdir()
    (folder / "link.html").symlink_to("below/page.html")
    if there:
        (folder / "below").mkdir()
        (folder / "below" / "page.html").write_text("<!DOCTYPE html>\nolder")
    assert main(["report", "--store", "store", "--output", "link.html"]) == 0
    assert (folder / "link.html").is_symlink()
    assert "Nothing to show yet" in (folder / "below" / "page.html").read_text()


def test_a_name_that_is_too_long_is_said_by_a_run_too(folder, capsys):
    assert main(["run", "fourier-basis", "n=12", "--store", "x" * 300]) == 2
    assert "(file name too long): choose a shorter path." in capsys.readouterr().err


@pytest.mark.parametrize("closed", ["finished", "gaussian-neuron"])
def test_the_report_names_folders_that_it_may_not_read(finished, folder, capsys, monkeypatch, closed):
    listdir, (entry,) = os.listdir, (finished[0] / "gaussian-neuron").glob("[0-9a-f]*")
    refused = {entry} if closed == "finished" else {entry.parent}

    def refusing(path="."):
        if path in refused:
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refusing)
    assert main(["report", "--store", str(finished[0])]) == 0
    where = str(refused.pop())
    assert f"Cannot read '{where}' (permission denied)" in capsys.readouterr().err
    assert where in (folder / "gatefield-report.html").read_text()


@pytest.fixture
def formulas(monkeypatch):
    """Two formulas in place of the library's: one that holds, and one whose printed equation is wrong."""
    from gatefield.core.estimate import Estimate
    from gatefield.ledger import Formula

    good = Formula(
        name="002-eq14",
        source="002",
        place="equation 14",
        says="half of the covariance",
        status="holds",
        implements="theory.relu.pair_mean",
        value=lambda: 0.5,
        estimate=lambda: Estimate(0.5, 1e-9, "symmetry"),
    )
    corrected = dataclasses.replace(good, name="002-eq25", status="corrected", printed=lambda: 0.25, note="halved twice")
    items = [good, corrected]
    monkeypatch.setattr("gatefield.ledger.notes.formulas", lambda: tuple(items))
    monkeypatch.setattr("gatefield.cli.check.helpers.MOST", 0)  # other processes know the library's formulas only
    return items


def test_a_check_prints_its_findings_and_writes_the_page_and_the_store(folder, capsys, formulas):
    assert main(["check"]) == 0
    streams = capsys.readouterr()
    lines = streams.out.splitlines()
    assert streams.err.startswith("gatefield check: ")
    assert "  corrected: 002-eq25, equation 14: half of the covariance\n    library agrees: " in streams.out
    numbers = "theory.relu.pair_mean 0.5, estimate 0.5 ± 1e−09 by symmetry, printed 0.25"
    assert f"    library agrees: {numbers}\n    halved twice\n" in streams.out
    assert (
        lines[-3] == "2 formulas, as printed: 1 holds, 1 corrected; every library value agrees with its independent estimate."
    )
    assert lines[-1] == f"The ledger page, for any browser: {folder / 'gatefield-ledger.html'}"
    assert "Halved twice" in (folder / "gatefield-ledger.html").read_text()
    assert main(["report"]) == 0
    assert "Halved twice" in (folder / "gatefield-report.html").read_text()


def test_a_check_as_json_prints_nothing_else(folder, capsys, formulas):
    assert main(["check", "--json", "--name", "eq25"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["name"], found["value"], found["estimate"], found["printed"]) == ("002-eq25", 0.5, 0.5, 0.25)
    assert (found["status"], found["result"]) == ("corrected", "agrees")
    assert list(folder.iterdir()) == []  # a part of the ledger is not kept, and no page was asked for
    assert main(["check", "--json", "--source", "002", "--output", "page.html"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert [path.name for path in folder.iterdir()] == ["page.html"]


@pytest.mark.parametrize("text", ["Equation 14", "relu.pair_mean", "half of the"])
def test_formulas_are_found_by_place_function_and_words(folder, capsys, formulas, text):
    assert main(["check", "--json", "--name", text]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_a_check_of_some_formulas_leaves_the_page_of_all_alone(folder, capsys, formulas):
    assert main(["check", "--source", "002"]) == 0
    assert list(folder.iterdir()) == []
    assert main(["check", "--name", "eq25", "--output", "part.html"]) == 0
    assert [path.name for path in folder.iterdir()] == ["part.html"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"value": lambda: 0.6}, "library differs: theory.relu.pair_mean"),
        ({"value": lambda: 1 / 0}, "library fails: theory.relu.pair_mean"),
        ({"status": "corrected"}, "library contradicts the status: theory.relu.pair_mean"),
    ],
)
def test_a_check_that_finds_something_wrong_ends_with_code_one(folder, capsys, formulas, changes, words):
    formulas[0] = dataclasses.replace(formulas[0], **changes)
    assert main(["check"]) == 1
    text = capsys.readouterr().out
    assert words in text
    assert text.count("library agrees: ") == 1
    assert "not in order: 002-eq14." in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["check", "--source", "002", "02"], "gatefield: Unknown source '02': did you mean '002'? There are: 000, 001,"),
        (["check", "--source", "004"], "gatefield: The ledger has no formulas of source 004 yet; there are some of 002."),
        (["check", "--name", "eq52"], "gatefield: No formula of the ledger has 'eq52' in its name, place, function or"),
        (["check", "--name", "equation 1"], "gatefield: No formula of the ledger has 'equation 1' in its name"),
        (["check", "--jsn"], "gatefield: Unknown option '--jsn': did you mean '--json'?"),
    ],
)
def test_a_check_of_nothing_is_one_sentence(folder, capsys, formulas, words, sentence):
    assert main(words) == 2
    assert sentence in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def tour(monkeypatch, *names, sizes):
    """The tour of these experiments, at the size of tests."""
    monkeypatch.setattr("gatefield.cli.tour.EXPERIMENTS", names)
    sized = {name: dataclasses.replace(experiments.get(name), presets={"quick": sizes[name]}) for name in names}
    monkeypatch.setattr(experiments, "get", sized.__getitem__)
    return main(["tour"])


def test_the_tour_tells_a_story_and_ends_with_the_page(folder, capsys, monkeypatch):
    assert tour(monkeypatch, "gaussian-neuron", sizes={"gaussian-neuron": SIZE}) == 0
    streams = capsys.readouterr()
    assert streams.err.startswith("gatefield tour: ")
    assert "receptive field" in streams.out
    assert "gaussian-neuron: finished in" in streams.out
    assert streams.out.splitlines()[-1].endswith(str(folder / "gatefield-report.html"))


@pytest.mark.slow
def test_the_whole_tour(folder, capsys, monkeypatch):
    small = {"n": 12, "gains": (0.01, 3.0), "batch_size": 50, "steps": 40, "record_every": 20, "seeds": 2}
    assert tour(monkeypatch, *EXPERIMENTS, sizes={"gaussian-neuron": SIZE, "localization": small}) == 0
    assert (folder / "gatefield-report.html").read_text().count("<article") == len(EXPERIMENTS)


def test_an_interrupt_says_that_nothing_is_lost(folder, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt("Stopped; the last commit is step 20 of 60.")

    monkeypatch.setattr("gatefield.lab.run", stop)
    assert main(["run", *TINY]) == 130
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("gatefield: Stopped; the last commit is step 20 of 60.")
    assert last.endswith("the same command goes on from there.")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_command_told_to_end_says_how_to_go_on(folder, number, code):
    arguments = [sys.executable, "-m", "gatefield", "run", "localization", "--preset", "full"]
    before = signal.signal(number, signal.SIG_DFL)  # the tests themselves may run under nohup
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env=WITH_CACHES)
    signal.signal(number, before)
    with process:
        try:
            assert process.stderr
            while "loading" not in process.stderr.readline():
                assert process.poll() is None
            process.send_signal(number)
            rest = process.communicate(timeout=60)[1]
        finally:
            process.kill()
    assert process.returncode == code
    assert rest.splitlines()[-1].endswith("What was committed is kept, and the same command goes on from there.")
    assert "Traceback" not in rest


@pytest.mark.parametrize("before", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_signal_that_is_ignored_stays_so(monkeypatch, before):
    """`nohup` starts a command with SIGHUP ignored."""
    heeded = []
    monkeypatch.setattr(signal, "getsignal", lambda number: before)
    monkeypatch.setattr(signal, "signal", lambda number, _: heeded.append(number))
    heed_signals([])
    assert heeded == ([signal.SIGINT, signal.SIGTERM, signal.SIGHUP] if before == signal.SIG_DFL else [])


@contextlib.contextmanager
def heeded():
    """Signals as a command heeds them: those received."""
    callbacks, received = list(gc.callbacks), []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell ignores in what it starts in the background
        heed_signals(received)
        yield received
    finally:
        gc.callbacks[:] = callbacks
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_signal_within_a_collection_of_garbage_is_not_lost():
    """Python ignores errors there; JAX has a function that is called at each collection."""
    sent = []

    def callback(phase, info):
        if not sent:
            sent.append(phase)
            signal.raise_signal(signal.SIGINT)

    def collect_and_wait():
        gc.callbacks.append(callback)
        gc.collect(0)
        time.sleep(5)

    with heeded() as received, pytest.raises(KeyboardInterrupt):
        collect_and_wait()
    assert received == [signal.SIGINT]


def test_a_signal_at_the_very_start_of_a_collection_is_not_lost():
    """Before anything is noted of the collection."""
    sent = []

    def signal_at_first_line(frame, event, _):
        if frame.f_code.co_filename.endswith("command_line.py") and not sent:
            sent.append(event)
            signal.raise_signal(signal.SIGINT)

    def collect_and_wait():
        sys.setprofile(signal_at_first_line)
        try:
            gc.collect(0)
        finally:
            sys.setprofile(None)
        time.sleep(5)

    with heeded() as received, pytest.raises(KeyboardInterrupt):
        collect_and_wait()
    assert (received, sent) == ([signal.SIGINT], ["call"])


def test_a_signal_while_a_compiled_module_is_loaded_waits():
    """Compiled modules in C++, as those of JAX, make an ImportError of an interruption, or end the process."""

    class Spec:
        origin = "/nowhere.so"
        sent = False

        @property
        def name(self):
            if not self.sent:
                self.sent = True
                signal.raise_signal(signal.SIGINT)
            return "nowhere"

    with heeded() as received:
        with pytest.raises(ImportError):
            ExtensionFileLoader("nowhere", "/nowhere.so").create_module(Spec())
        with pytest.raises(KeyboardInterrupt):
            time.sleep(5)
    assert received == [signal.SIGINT]


def test_names_that_may_be_left_out_are_in_brackets(capsys):
    for verb, words in (
        ("list", "[NAME...]"),
        ("bench", "[NAME...]"),
        ("data", "[NAME...]"),
        ("report", "[FILE.py...]"),
        ("run", " NAME..."),
        ("figure", " NAME..."),
    ):
        assert main([verb, "--help"]) == 0
        assert words in capsys.readouterr().out.splitlines()[0]


def test_help_says_that_several_settings_may_follow(capsys):
    assert main(["run", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "--set NAME=VALUE..." in text
    assert "one or more, as in --set seeds=8 gain=3" in text


@pytest.mark.parametrize("names", [("mnist", "cifar10"), ("cifar10", "mnist")])
def test_one_data_set_that_is_not_there_is_a_failure_of_all(names, monkeypatch):
    monkeypatch.setattr(Data, "_one", lambda self, name: 1 if name == "cifar10" else 0)
    assert Data(names)() == 1


def test_list_loads_no_experiment_and_nothing_heavy():
    program = "import sys; from gatefield.cli import main; main(['list']); print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=WITH_CACHES)
    loaded = set(result.stdout.splitlines()[-1].split())
    assert not loaded & {"jax", "numpy", "scipy", "xarray", "matplotlib", "pydantic", "zarr", "equinox"}
    assert {name for name in loaded if name.startswith("gatefield.experiments")} == {"gatefield.experiments"}


@pytest.mark.parametrize(
    ("words", "most"),
    [(["-m", "gatefield", "list"], 0.5), (["-m", "gatefield", "--help"], 0.5), (["-c", "import gatefield"], 0.2)],
    ids=["list", "help", "import"],
)
def test_what_is_to_be_there_at_once_takes_little_cpu_time(words, most):
    """Two to four times what it takes on a slow core, of which Python itself is 0.03 s."""
    times = []
    for _ in range(4):  # the first one compiles what was not imported before
        before = cpu_seconds()
        subprocess.run([sys.executable, *words], capture_output=True, env=WITH_CACHES, timeout=60, check=True)
        times.append(cpu_seconds() - before)
    assert min(times) < most


def test_list_in_a_pipe_is_a_line_for_each_experiment():
    lines = command("list").stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == list(experiments.names())


@pytest.mark.parametrize(
    ("end", "code", "sentence"),
    [
        ("| true; exit ${PIPESTATUS[0]}", 1, ""),
        pytest.param(
            "> /dev/full",
            2,
            "gatefield: Standard output cannot be written (no space left on device): send it elsewhere.\n",
            marks=pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full"),
        ),
        (">&-", 0, ""),
    ],
)
def test_output_that_goes_nowhere_ends_without_a_traceback(end, code, sentence):
    line = f"{sys.executable} -m gatefield list {end}"
    result = subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, env=WITH_CACHES, timeout=60)
    assert (result.returncode, result.stderr) == (code, sentence)


def test_exit_codes_reach_the_shell():
    assert command("--version").returncode == 0
    assert command("nope").returncode == 2


def test_list_describes_one_experiment(capsys):
    assert main(["list", "localization"]) == 0
    text = capsys.readouterr().out
    assert "gains = [0.01,0.3,0.6,1.0,1.7,3.0,10.0,inf]" in text
    assert "preset full: these defaults" in text
    assert main(["list", "localisation"]) == 2
    assert "did you mean 'localization'?" in capsys.readouterr().err
