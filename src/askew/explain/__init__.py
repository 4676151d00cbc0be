"""What a fitted tree says, put more simply. One file each."""
