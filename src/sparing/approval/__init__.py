"""Gates that pass by rule; which sections an approval covers, and what changes after it affect."""
