"""The published data sets, by name. To add one: its own file, and one line here."""

from collections.abc import Mapping

from gatefield.data._cifar import CIFAR10
from gatefield.data._fetch import Collection
from gatefield.data._mnist import MNIST

COLLECTIONS: Mapping[str, Collection] = {collection.name: collection for collection in (MNIST, CIFAR10)}
