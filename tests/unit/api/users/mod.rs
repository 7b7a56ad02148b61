mod preferences;
