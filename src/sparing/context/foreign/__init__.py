"""Specs that another tool wrote (spec-kit, OpenSpec, Kiro, iflow), as documents of ours."""
