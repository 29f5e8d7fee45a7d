"""Former names, until all callers use the new ones."""

from roctree.data.dataset import LARGEST_TOTAL_WEIGHT as LARGEST_TOTAL
from roctree.data.dataset import SMALLEST_LARGEST_WEIGHT as LEAST_LARGEST
from roctree.data.dataset import check_weights, encode_labels
from roctree.data.dataset import encode_known_labels as labels_of

__all__ = ["LARGEST_TOTAL", "LEAST_LARGEST", "check_weights", "encode_labels", "labels_of"]
