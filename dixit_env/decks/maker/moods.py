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
    weight: float = 1.0
    """how often it is drawn, beside the others"""


MOODS = {
    "dawn": Mood((66, 50, 112), (224, 134, 146), (255, 234, 204), 0.52, 1.05, (255, 214, 180)),
    "noon": Mood((14, 58, 98), (84, 162, 178), (255, 250, 226), 0.45, 1.08, (255, 250, 232)),
    "dusk": Mood((56, 22, 72), (226, 96, 60), (255, 216, 124), 0.58, 0.97, (255, 176, 104)),
    "night": Mood((6, 14, 52), (36, 76, 144), (180, 212, 240), 0.7, 0.76, (176, 206, 255), stars=True),
    "storm": Mood((16, 26, 46), (66, 106, 120), (228, 226, 188), 0.55, 0.88, (226, 228, 210), fog=0.1, weight=0.6),
    "mist": Mood((52, 82, 94), (148, 178, 170), (248, 242, 220), 0.55, 1.05, (244, 240, 226), fog=0.4, weight=0.5),
    "autumn": Mood((66, 26, 24), (208, 112, 40), (255, 228, 146), 0.52, 1.0, (255, 216, 148)),
    "winter": Mood((24, 52, 104), (126, 178, 218), (248, 252, 254), 0.56, 1.06, (236, 244, 255), fog=0.12),
    "dream": Mood((52, 22, 108), (158, 92, 194), (255, 208, 222), 0.58, 1.0, (255, 210, 232), fog=0.12),
    "old": Mood((44, 34, 26), (154, 124, 82), (244, 226, 180), 0.58, 1.02, (250, 232, 192), weight=0.4),
    "spring": Mood((12, 66, 62), (122, 178, 104), (255, 246, 208), 0.52, 1.06, (255, 250, 214)),
    "aurora": Mood((6, 24, 52), (28, 126, 124), (190, 246, 200), 0.66, 0.85, (180, 250, 214), stars=True),
    "red_sun": Mood((46, 10, 38), (200, 52, 50), (255, 204, 146), 0.62, 0.96, (255, 150, 110), weight=0.8),
}
