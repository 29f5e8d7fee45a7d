from hypothesis import settings

# The first example of a test may compile a kernel, which says nothing about the others.
settings.register_profile("roctree", deadline=None)
settings.load_profile("roctree")
