"""Gradients checked against finite differences."""
