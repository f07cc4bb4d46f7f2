"""How many modes each species has: found, kept, and said."""
