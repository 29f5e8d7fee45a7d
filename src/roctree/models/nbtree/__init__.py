"""Naive Bayes trees (NBTree), grown as Weka grows them."""
