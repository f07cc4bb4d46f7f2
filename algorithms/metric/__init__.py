"""Linear metrics of instances, learned from label sets of bags, and neighbours by them."""
