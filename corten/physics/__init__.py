"""The physics: one module per stage of the step."""
