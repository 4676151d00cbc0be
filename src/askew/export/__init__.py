"""Ways to read a fitted tree, or to take it elsewhere.

Words and data are written by the files here, programs by those of `code`; `pictures` draws, `report` makes a page.
"""
