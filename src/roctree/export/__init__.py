"""A fitted tree in the languages of others: rules, DOT, SQL and ONNX.

Each says at its head which model, operating point and data it came from. The libraries that some
of them need are imported where they are used.
"""

from roctree.export.dot import to_dot
from roctree.export.exported import Exported
from roctree.export.onnx import to_onnx
from roctree.export.rules import to_rules
from roctree.export.sql import to_sql

__all__ = ["Exported", "to_dot", "to_onnx", "to_rules", "to_sql"]
