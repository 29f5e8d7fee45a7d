"""Export a fitted tree as rules, a Graphviz graph, an SQL query, an ONNX model or arrays.

Every text begins with comment lines that name the model, its operating point and its training
data. A result that the target format cannot represent raises ``ParameterError``; it is never
approximated silently. Optional libraries (onnx, sqlglot) are imported when they are needed.
"""

from roctree.export.onnx import to_onnx
from roctree.export.scikit_learn import to_shap, to_sklearn
from roctree.export.sql import to_sql
from roctree.export.text import to_dot, to_rules

__all__ = ["to_dot", "to_onnx", "to_rules", "to_shap", "to_sklearn", "to_sql"]
