"""The order of words on the command line."""

import itertools


def words_first(argv: list[str]) -> list[str]:
    """The command and its words before the options, since tyro takes words from one place only.

    >>> words_first(["run", "--set", "gain=3", "xi=2", "a", "--fresh", "b"])
    ['run', 'xi=2', 'a', 'b', '--set', 'gain=3', '--fresh']
    """
    words, options, rest = [], [], iter(argv)
    for word in rest:
        if not word.startswith("-"):
            words.append(word)
        elif word in ("-h", "--help", "--fresh") or "=" in word:
            options.append(word)
        else:
            options += [word, *itertools.islice(rest, 1)]
    return words + options
