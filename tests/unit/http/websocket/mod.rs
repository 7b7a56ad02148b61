mod frames;
