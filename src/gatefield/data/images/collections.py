"""The published data sets, by name. To add one: its own file, and one line here."""

from collections.abc import Mapping

from gatefield.data.images.cifar10 import CIFAR10
from gatefield.data.images.fetch import Collection
from gatefield.data.images.mnist import MNIST

COLLECTIONS: Mapping[str, Collection] = {collection.name: collection for collection in (MNIST, CIFAR10)}
