"""Files of published data sets: where they are, whether they are what was published, and how to get them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.expanded import expanded

NO_CONNECTION = "no connection"
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
    status: str
    """"verified" if it was there, "fetched" if not."""


class Unreachable(UserError):
    """No mirror of a data set could be reached, so that its other files need not be tried."""


def cache_folder() -> Path:
    """Where fetched and decoded files are kept: the user's cache."""
    import pooch

    return Path(pooch.os_cache("gatefield"))


def data_folder(folder: Any = None) -> Path | None:
    """The folder that holds data sets, if one is given here or by the environment variable GATEFIELD_DATA."""
    given = folder or os.environ.get("GATEFIELD_DATA")
    return expanded(given) if given else None


def files_of(collection: Collection, folder: Any = None) -> Mapping[str, str]:
    """The files to use, with their SHA-256: of all sets the first that a given folder holds, in whole or else in part.

    **Arguments**

    - `collection`: the data set.
    - `folder`: a folder that has its files; if not given, that of `GATEFIELD_DATA`, or else the user's cache.
    """
    place, sets = data_folder(folder), (collection.files, *collection.alternatives)
    if place is None:
        return collection.files
    there = [[(place / file).is_file() for file in files] for files in sets]
    best = next((k for held in (all, any) for k, found in enumerate(there) if held(found)), 0)
    return sets[best]


def check_there(collection: Collection) -> None:
    """An error if the files are neither in the folder of GATEFIELD_DATA nor in the cache: nothing is fetched unasked."""
    place, files = data_folder() or cache_folder() / collection.name, files_of(collection)
    absent = _absent(place, files)
    if absent:
        what = f"data set {collection.name} is not" if len(absent) == len(files) else f"{_listed(absent, collection)} missing"
        raise UserError(
            f"The {what} in '{place}': run `gatefield data {collection.name}` without GATEFIELD_DATA to fetch it, "
            f"or set GATEFIELD_DATA to a folder that holds {_forms(collection)}."
        )


def locate(
    collection: Collection, file: str, folder: Any = None, mirror: str | None = None, tell: Tell = lambda text: None
) -> Located:
    """A file of a data set: in the given folder, or else in the user's cache, where it is fetched if need be.

    **Arguments**

    - `collection`: the data set.
    - `file`: one of `files_of` this collection and folder.
    - `folder`: a folder that has the files, which is only read; if not given, that of `GATEFIELD_DATA`, if it is set.
    - `mirror`: where to fetch from, in place of the addresses of the collection.
    - `tell`: called before each attempt to fetch.
    """
    place, files = data_folder(folder), files_of(collection, folder)
    file = checks.choice("file", file, files)
    mirrors = _mirrors(collection, mirror)
    if place is not None:
        _check_file(place, file, collection, files)
        return Located(place / file, "verified")
    path = cache_folder() / collection.name / file
    if path.is_file() and sha256(path) == files[file]:
        return Located(path, "verified")
    return Located(_fetch(collection, path, mirrors, tell), "fetched")


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    import pooch

    return pooch.file_hash(str(path))


def _absent(place: Path, files: Iterable[str]) -> list[str]:
    return [file for file in files if not (place / file).is_file()]


def _listed(files: Sequence[str], collection: Collection) -> str:
    """For instance "files 'a', 'b' of mnist are"."""
    one = len(files) == 1
    return f"file{'s' * (not one)} {', '.join(map(repr, files))} of {collection.name} {'is' if one else 'are'}"


def _forms(collection: Collection) -> str:
    """The sets of files that a folder may hold, in words."""
    words = []
    for files in (collection.files, *collection.alternatives):
        first, *others = files
        words.append(f"{first} to {others[-1]} ({len(files)} files)" if others else first)
    return ", or ".join(words)


def _check_file(place: Path, file: str, collection: Collection, files: Mapping[str, str]) -> None:
    path, digest, absent = place / file, files[file], _absent(place, files)
    fetch = f"or fetch it by `gatefield data {collection.name}` without a folder (and without GATEFIELD_DATA)"
    if not place.is_dir():
        raise UserError(
            f"The data folder '{place}' does not exist; for {collection.name} give one that holds {_forms(collection)}, "
            f"or leave it out."
        )
    if len(absent) == len(files):
        raise UserError(f"The data set {collection.name} is not in '{place}': copy {_forms(collection)} there, {fetch}.")
    if file in absent:
        them = "it" if len(absent) == 1 else "them"
        raise UserError(f"The {_listed(absent, collection)} missing in '{place}': copy {them} there, {fetch}.")
    try:
        found = sha256(path)
    except OSError as error:
        raise UserError(f"Cannot read '{path}' ({(error.strerror or str(error)).lower()}); make it readable.") from error
    if found != digest:
        raise UserError(
            f"The file '{path}' is not the published one (its SHA-256 begins with {found[:8]}, not "
            f"{digest[:8]}): remove it and copy or fetch it again."
        )


def _fetch(collection: Collection, path: Path, mirrors: Mapping[str, str], tell: Tell) -> Path:
    """Try one mirror after the other, until one gives the published file."""
    failures = []
    for name, address in mirrors.items():
        tell(f"{collection.name}: fetching {path.name} from {name}")
        try:
            return _download(f"{address}{path.name}", collection.files[path.name], path)
        except (OSError, ValueError) as error:  # no connection, no such file, a full disk; another file than the published
            failures.append((name, _reason(error)))
    kind = Unreachable if all(reason == NO_CONNECTION for _, reason in failures) else UserError
    tried = f"Cannot fetch '{path.name}' of {collection.name} ({'; '.join(map(': '.join, failures))}): try again later, "
    way_out = "or give a folder that holds it by {} or GATEFIELD_DATA."
    raise kind(tried + way_out.format("folder="), shell=tried + way_out.format("--folder"))


def _mirrors(collection: Collection, mirror: str | None) -> Mapping[str, str]:
    """The named mirror, or all of them."""
    if mirror is None:
        return collection.mirrors
    return {mirror: collection.mirrors[checks.choice("mirror", mirror, collection.mirrors)]}


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
    return NO_CONNECTION if getattr(error, "errno", None) is None else str(error.strerror or error).lower()  # pyright: ignore[reportAttributeAccessIssue]
