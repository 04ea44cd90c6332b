"""The teaching part: lessons, exercises, and their tools."""
