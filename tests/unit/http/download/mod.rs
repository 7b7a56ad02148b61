mod range;
