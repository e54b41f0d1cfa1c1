"""The end of a feature: survey, lessons, proposals, hand-over, summary, `.meta.json`."""
