"""Compiled loops over trees and their data.

Growth searches nodes in sorted columns or in bins (``grow``, with ``scan``, ``numeric``,
``nominal``, ``bins``, ``divide``, ``rows``), large ones by several threads (``blocks``), or from
tables alone (``tables``); ``coding`` codes columns for it. Prediction is ``descent``. Kernels take
records of named arrays (``records``), and most allocate nothing.
"""
