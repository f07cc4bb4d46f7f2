"""Features that are learned from the instances themselves, without labels.

All of them take tables of small whole numbers, such as pixels, and multiply them with whole
multiples of a power of two. Such products and their sums are exact, in whatever order they are
taken: the features of an instance do not depend on those beside it, nor on threads or machine.
"""
