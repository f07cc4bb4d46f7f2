"""What a workspace holds, and which command comes next."""
