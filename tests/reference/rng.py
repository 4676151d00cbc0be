"""The random numbers of core/numeric/rng.hpp: splitmix64, as published by Steele, Lea & Flood (2014)."""

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def derive(seed, i):
    """The seed of the i-th thing below a thing with a seed."""
    return mix((seed + (i + 1) * GOLDEN) & MASK)


class Rng:
    def __init__(self, seed):
        self.state = mix((seed ^ GOLDEN) & MASK)

    def next(self):
        self.state = (self.state + GOLDEN) & MASK
        return mix(self.state)

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53

    def between(self, low, high):
        return low + (high - low) * self.uniform()

    def below(self, n):
        while True:
            r = self.next()
            if r >= (1 << 64) % n:
                return r % n
