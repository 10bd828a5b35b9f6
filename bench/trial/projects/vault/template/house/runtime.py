"""Running times of sound film."""
FRAMES_A_FOOT = 16
FRAMES_A_SECOND = 24


def minutes(lengths, gauge):
    """Whole minutes of a title; lengths is a list of (feet, frames)."""
    frames = sum(feet * FRAMES_A_FOOT + rest for feet, rest in lengths)
    return -(-frames // (FRAMES_A_SECOND * 60))
