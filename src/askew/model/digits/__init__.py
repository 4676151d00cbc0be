"""The numbers of a printed tree: few digits, and yet every training row takes the path of the model.

rounding   a number rounded to a number of digits; the scale of a test's weights; `Printed`, stored with the tree
shorten    the shortest form of each test that sends rows where the model sends them
"""
