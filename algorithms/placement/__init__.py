"""Placing instances that took no part in a clustering into its clusters."""
