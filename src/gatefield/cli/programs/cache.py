"""Where programs are kept, and switching it on."""

import contextlib
import hashlib
import os
import platform
import stat
import warnings
from pathlib import Path

from gatefield.cli.programs.kept import Kept, trim

FOLDER = "GATEFIELD_CACHE"
"""The environment variable that names the folder; empty or `off` for none."""
_OFF = ("", "off")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def offer_cache() -> None:
    """For a process that is one command: let it keep programs in the user's own folder, unless the environment says otherwise.

    Nothing is loaded yet. Processes that the command starts find the same folder.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    os.environ.setdefault(FOLDER, str(home / "gatefield"))


def use_cache() -> None:
    """Take programs that earlier commands kept, and keep those that are compiled from now on.

    Where that cannot be, they are compiled as ever, and nobody is told. A user's own setting for JAX stands.
    """
    chosen = os.environ.get(FOLDER, "").strip()
    if chosen.casefold() in _OFF:
        return
    import jax

    if getattr(jax.config, "jax_compilation_cache_dir", None):
        return
    with contextlib.suppress(OSError, RuntimeError):  # no home, no room, no right to write
        folder = _private_folder(Path(chosen).expanduser().absolute())
        trim(folder.parent)
        _switch_on(folder)


def _private_folder(root: Path) -> Path:
    """The folder for this compiler and processor, of this user alone."""
    folder = root / "programs" / _made_for()
    for path in (root, root / "programs", folder):
        _make_private(path)
    return folder


def _make_private(path: Path) -> None:
    """Make a folder of this user alone: whoever can write to it can have this process run any program."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = path.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        raise PermissionError(f"'{path}' is no folder of this user")
    if about.st_mode & _OTHERS_WRITE:
        raise PermissionError(f"'{path}' is open to others")


def _made_for() -> str:
    """The compiler and the processor: what is made for one may crash on another that has the same home folder."""
    import jax
    from jaxlib.version import __version__ as compiler

    return f"jax-{jax.__version__}-{compiler}-{hashlib.sha256(_processor().encode()).hexdigest()[:12]}"


def _processor() -> str:
    """Its name and what it can do."""
    lines = []
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    first = {line.partition(":")[0].strip(): line for line in reversed(lines)}
    said = [first.get(name, "") for name in ("model name", "flags", "Features")]
    return "\n".join([platform.system(), platform.machine(), platform.processor(), *said])


def _switch_on(folder: Path) -> None:
    """Have JAX keep its programs there, by way of `Kept`; a version of JAX that knows no such way keeps none."""
    import jax
    from jax._src import compilation_cache

    from gatefield.cli.programs.trial import works

    if not hasattr(compilation_cache, "get_file_cache"):
        return
    kept = Kept(folder)
    compilation_cache.get_file_cache = lambda path: (kept, path)
    try:
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # most programs are small, and there are hundreds
        jax.config.update("jax_persistent_cache_enable_xla_caches", "none")  # those are neither checked nor bounded
        jax.config.update("jax_compilation_cache_dir", str(folder))
    except AttributeError:
        return
    for doing in ("reading", "writing"):
        warnings.filterwarnings("ignore", f"Error {doing} persistent compilation cache")
    kept.used = works(kept)
