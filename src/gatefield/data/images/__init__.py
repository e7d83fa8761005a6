"""Published data sets of images: their files, where they are found or fetched, and what is made of them."""

from gatefield.data.images.collections import COLLECTIONS
from gatefield.data.images.fetch import Collection, Located, Unreachable, check_there, files_of, locate
from gatefield.data.images.images import Images

__all__ = ["COLLECTIONS", "Collection", "Images", "Located", "Unreachable", "check_there", "files_of", "locate"]
