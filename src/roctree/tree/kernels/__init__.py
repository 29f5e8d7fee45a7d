"""The compiled loops of growth: scanning candidates, comparing attributes, dividing nodes.

The kernels share a few plain arrays whose rows and columns are named in ``layout``. They allocate
nothing and take no records: Numba compiles such loops several times faster, and the first fit on
a machine waits for the compiler.
"""
