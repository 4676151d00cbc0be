"""Ways to read a fitted tree, or to take it elsewhere. One file each."""
