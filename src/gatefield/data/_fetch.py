"""Files of published data sets: where they are, whether they are what was published, and how to get them."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gatefield import _checks
from gatefield._errors import UserError

CHUNK = 2**20
Tell = Callable[[str], None]


class Collection(NamedTuple):
    """The files of a data set with their SHA-256, and addresses that offer them, each by a short name."""

    name: str
    files: Mapping[str, str]
    mirrors: Mapping[str, str]
    alternatives: tuple[Mapping[str, str], ...] = ()
    """Other sets of files with the same content, which a given folder may hold instead."""


class Located(NamedTuple):
    """A file that is what was published."""

    path: Path
    how: str
    """"verified" if it was there, "fetched" if not."""


def cache_folder() -> Path:
    """Where fetched and decoded files are kept: the user's cache."""
    import pooch

    return Path(pooch.os_cache("gatefield"))


def data_folder(folder: Any = None) -> Path | None:
    """The folder that holds data sets, if one is given here or by the environment variable GATEFIELD_DATA."""
    given = folder or os.environ.get("GATEFIELD_DATA")
    return Path(given).expanduser() if given else None


def files_of(collection: Collection, folder: Any = None) -> Mapping[str, str]:
    """The files to use, with their SHA-256: of all sets the first that a given folder holds, in whole or else in part."""
    place, sets = data_folder(folder), (collection.files, *collection.alternatives)
    if place is None:
        return collection.files
    there = [[(place / file).is_file() for file in files] for files in sets]
    best = next((k for held in (all, any) for k, found in enumerate(there) if held(found)), 0)
    return sets[best]


def check_there(collection: Collection) -> None:
    """An error if the files are neither in the folder of GATEFIELD_DATA nor in the cache: nothing is fetched unasked."""
    place = data_folder() or cache_folder() / collection.name
    if not all((place / file).is_file() for file in files_of(collection)):
        raise UserError(
            f"The data set {collection.name} is not in '{place}': run `gatefield data {collection.name}` without "
            f"GATEFIELD_DATA to fetch it, or set GATEFIELD_DATA to a folder that holds its files."
        )


def locate(
    collection: Collection, file: str, folder: Any = None, mirror: str | None = None, tell: Tell = lambda text: None
) -> Located:
    """A file of a data set: in the given folder, or else in the user's cache, where it is fetched if need be.

    `file`: one of `files_of` this collection and folder. A given folder is only read. `tell` is called before each attempt to
    fetch.
    """
    place, files = data_folder(folder), files_of(collection, folder)
    file = _checks.choice("file", file, files)
    if place is not None:
        _check_file(place, file, collection, files[file])
        return Located(place / file, "verified")
    path = cache_folder() / collection.name / file
    if path.is_file() and sha256(path) == files[file]:
        return Located(path, "verified")
    return Located(_fetch(collection, path, mirror, tell), "fetched")


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(CHUNK):
            digest.update(part)
    return digest.hexdigest()


def _check_file(place: Path, file: str, collection: Collection, digest: str) -> None:
    path = place / file
    if not place.is_dir():
        raise UserError(f"The data folder '{place}' does not exist; give one that holds {file}, or leave it out.")
    if not path.is_file():
        raise UserError(
            f"The file '{file}' of {collection.name} is missing in '{place}': copy it there, "
            f"or fetch it by `gatefield data {collection.name}` without a folder (and without GATEFIELD_DATA)."
        )
    try:
        found = sha256(path)
    except OSError as error:
        raise UserError(f"Cannot read '{path}' ({(error.strerror or str(error)).lower()}); make it readable.") from error
    if found != digest:
        raise UserError(
            f"The file '{path}' is not the published one (its SHA-256 begins with {found[:8]}, not "
            f"{digest[:8]}): remove it and copy or fetch it again."
        )


def _fetch(collection: Collection, path: Path, mirror: str | None, tell: Tell) -> Path:
    """Try one mirror after the other, until one gives the published file."""
    failures = []
    for name, address in _mirrors(collection, mirror):
        tell(f"{collection.name}: fetching {path.name} from {name}")
        try:
            return _download(f"{address}{path.name}", collection.files[path.name], path)
        except (OSError, ValueError) as error:  # no connection, no such file, a full disk; another file than the published
            failures.append(f"{name}: {_reason(error)}")
    raise UserError(
        f"Cannot fetch '{path.name}' of {collection.name} ({'; '.join(failures)}): try again later, "
        f"or give a folder that holds it by --folder or GATEFIELD_DATA."
    )


def _mirrors(collection: Collection, mirror: str | None) -> Iterator[tuple[str, str]]:
    if mirror is not None:
        mirror = _checks.choice("mirror", mirror, collection.mirrors)
        return iter([(mirror, collection.mirrors[mirror])])
    return iter(collection.mirrors.items())


def _download(address: str, digest: str, path: Path) -> Path:
    import pooch

    pooch.get_logger().setLevel("ERROR")
    return Path(pooch.retrieve(address, f"sha256:{digest}", path.name, path.parent))


def _reason(error: Exception) -> str:
    """What went wrong, in a few words."""
    if isinstance(error, ValueError) and "hash" in str(error):
        return "another file than the published one"
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status:
        return f"HTTP status {status}"
    return "no connection" if getattr(error, "errno", None) is None else str(error.strerror or error).lower()  # pyright: ignore[reportAttributeAccessIssue]
