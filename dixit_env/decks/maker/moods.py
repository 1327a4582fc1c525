"""A palette and a light for each mood of a card."""

from dataclasses import dataclass

RGB = tuple[int, int, int]


@dataclass(frozen=True)
class Mood:
    """Colours for the dark, middle and light tones; `mix` is how far the picture takes them on (0 … 1)."""

    dark: RGB
    middle: RGB
    light: RGB
    mix: float
    exposure: float = 1.0
    sunlight: RGB = (255, 244, 220)
    """colour of what the light falls on"""
    stars: bool = False
    fog: float = 0.0


MOODS = {
    "dawn": Mood((58, 52, 96), (214, 138, 142), (255, 232, 200), 0.42, 1.05, (255, 214, 180)),
    "noon": Mood((34, 62, 92), (126, 164, 158), (255, 248, 226), 0.28, 1.08, (255, 250, 232)),
    "dusk": Mood((44, 28, 66), (204, 98, 66), (255, 206, 128), 0.48, 0.95, (255, 176, 104)),
    "night": Mood((8, 14, 44), (40, 72, 128), (180, 208, 232), 0.66, 0.72, (176, 206, 255), stars=True),
    "storm": Mood((24, 30, 42), (88, 104, 112), (214, 218, 200), 0.5, 0.86, (226, 228, 210), fog=0.1),
    "mist": Mood((66, 80, 92), (156, 168, 168), (240, 238, 226), 0.5, 1.05, (244, 240, 226), fog=0.45),
    "autumn": Mood((52, 30, 24), (186, 116, 50), (252, 224, 158), 0.45, 0.98, (255, 216, 148)),
    "winter": Mood((32, 54, 84), (138, 172, 194), (246, 250, 252), 0.5, 1.06, (236, 244, 255), fog=0.15),
    "dream": Mood((40, 24, 84), (128, 92, 176), (252, 204, 220), 0.52, 1.0, (255, 210, 232), fog=0.15),
    "old": Mood((44, 34, 26), (148, 122, 86), (240, 224, 184), 0.62, 1.0, (250, 232, 192)),
}
