"""What bag labels demand of instances: bag constraints as an operator, and pairs."""
