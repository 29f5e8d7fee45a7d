"""The compiled loops of growth: scanning candidates, comparing attributes, dividing nodes.

The kernels share a few plain arrays whose rows and columns are named in ``layout``. They take no
records and, but for the search among categories, allocate nothing: Numba compiles such loops
several times faster, and the first fit on a machine waits for the compiler.
"""
