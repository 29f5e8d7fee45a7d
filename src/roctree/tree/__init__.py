"""The tree: how it is kept, grown, descended, written and read."""
