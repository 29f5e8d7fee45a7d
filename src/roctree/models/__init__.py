"""Whole systems: estimators set up as published programs are."""
