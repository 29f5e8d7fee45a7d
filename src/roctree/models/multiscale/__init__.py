"""The Multiscale Classifier: cells of a space that is halved along every axis at once."""
