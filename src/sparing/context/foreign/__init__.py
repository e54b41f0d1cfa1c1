"""Specs that another tool wrote (spec-kit, OpenSpec, Kiro, iflow), converted to our documents."""
