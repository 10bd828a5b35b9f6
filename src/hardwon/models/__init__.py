"""Who words the lessons: providers, commands, functions, or rules without any model."""
