"""The tests of a tree as people read them: few digits, and yet every training row takes the path of the model.

record      `Printed`: the numbers that are printed, stored with the tree
rounding    a number at so many digits; the scale of the weights of a test
forms       the shortest form of one test that sends rows where the model sends them
legible     all tests of a tree, a network or a tree for each class
"""
