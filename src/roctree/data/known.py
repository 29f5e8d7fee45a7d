"""Former names, until all callers use the new ones."""

from roctree.data.roles import column_types as types_of
from roctree.data.roles import find_target as target_of
from roctree.data.roles import label_type as type_of_labels
from roctree.data.roles import read_labels as labels_of_column

__all__ = ["labels_of_column", "target_of", "type_of_labels", "types_of"]
