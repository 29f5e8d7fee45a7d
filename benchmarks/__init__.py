"""Measure roctree beside other libraries: ``python -m benchmarks``."""
