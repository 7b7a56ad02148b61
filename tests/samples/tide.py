# How high the tide is.
import math

# Not a heading, but a comment.
def height(hours, mean=2.1, range_=3.4):
    """The height above chart datum, in metres, some hours after high water."""
    return mean + range_ / 2 * math.cos(hours * math.pi / 6.2)
