"""What teaches: lessons, exercises, and their tools."""
