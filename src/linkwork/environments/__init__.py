"""Models as environments of Gymnasium: what is seen, done, rewarded and drawn at random, one copy or many."""
