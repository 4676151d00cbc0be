"""Ways to read a fitted tree, or to take it elsewhere: words here, programs in `code`, pictures in `pictures`, a page in `report`."""
