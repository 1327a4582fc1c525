"""The light of each mood of a card: colours of its sky and ground, and of what the sun falls on."""

from dataclasses import dataclass

RGB = tuple[int, int, int]
Tones = tuple[RGB, RGB, RGB]


@dataclass(frozen=True)
class Mood:
    """Colours of a time of day or year.

    `dark`, `middle` and `light` are the tones of what templates draw themselves.
    """

    dark: RGB
    middle: RGB
    light: RGB
    sky: Tones
    """of the zenith, above the horizon, and of clouds"""
    ground: Tones
    """where it's dark, between, and where it's lit"""
    sunlight: RGB = (255, 244, 220)
    """colour of what the light falls on"""
    exposure: float = 1.0
    """brightness of things"""
    stars: bool = False
    low_sun: bool = False
    """whether the light comes from just above the horizon"""
    fog: float = 0.0
    weight: float = 1.0
    """how often it is drawn, beside the others"""


MOODS = {
    "dawn": Mood(
        (66, 50, 112),
        (224, 134, 146),
        (255, 234, 204),
        sky=((92, 128, 170), (255, 192, 158), (255, 228, 204)),
        ground=((58, 46, 88), (150, 104, 116), (255, 204, 168)),
        sunlight=(255, 210, 172),
        low_sun=True,
        exposure=1.02,
    ),
    "noon": Mood(
        (14, 58, 98),
        (84, 162, 178),
        (255, 250, 226),
        sky=((34, 104, 176), (200, 224, 222), (255, 250, 238)),
        ground=((30, 58, 52), (126, 142, 82), (252, 236, 184)),
        sunlight=(255, 246, 218),
        exposure=1.05,
    ),
    "dusk": Mood(
        (56, 22, 72),
        (226, 96, 60),
        (255, 216, 124),
        sky=((36, 50, 98), (252, 150, 84), (255, 196, 122)),
        ground=((42, 26, 62), (128, 66, 68), (255, 176, 100)),
        sunlight=(255, 172, 100),
        low_sun=True,
        exposure=0.96,
    ),
    "night": Mood(
        (6, 14, 52),
        (36, 76, 144),
        (180, 212, 240),
        sky=((8, 16, 54), (50, 92, 146), (118, 150, 192)),
        ground=((10, 16, 38), (34, 58, 88), (142, 180, 204)),
        sunlight=(186, 210, 255),
        exposure=0.86,
        stars=True,
    ),
    "storm": Mood(
        (16, 26, 46),
        (66, 106, 120),
        (228, 226, 188),
        sky=((36, 48, 68), (198, 192, 148), (148, 158, 160)),
        ground=((26, 32, 36), (88, 94, 70), (212, 198, 138)),
        sunlight=(240, 228, 184),
        exposure=0.92,
        fog=0.08,
        weight=0.7,
    ),
    "mist": Mood(
        (52, 82, 94),
        (148, 178, 170),
        (248, 242, 220),
        sky=((140, 166, 176), (234, 230, 212), (248, 244, 232)),
        ground=((70, 88, 94), (148, 160, 150), (230, 226, 206)),
        sunlight=(250, 242, 222),
        exposure=1.02,
        fog=0.35,
        weight=0.6,
    ),
    "autumn": Mood(
        (66, 26, 24),
        (208, 112, 40),
        (255, 228, 146),
        sky=((98, 128, 150), (252, 214, 146), (255, 234, 192)),
        ground=((62, 30, 24), (182, 98, 40), (252, 206, 116)),
        sunlight=(255, 214, 148),
    ),
    "winter": Mood(
        (24, 52, 104),
        (126, 178, 218),
        (248, 252, 254),
        sky=((98, 142, 188), (240, 236, 238), (252, 252, 254)),
        ground=((50, 70, 110), (150, 172, 202), (252, 250, 248)),
        sunlight=(255, 246, 236),
        exposure=1.03,
        fog=0.1,
    ),
    "dream": Mood(
        (52, 22, 108),
        (158, 92, 194),
        (255, 208, 222),
        sky=((44, 86, 138), (252, 186, 190), (255, 222, 226)),
        ground=((56, 42, 104), (142, 100, 150), (255, 204, 182)),
        sunlight=(255, 204, 214),
        fog=0.1,
    ),
    "old": Mood(
        (44, 34, 26),
        (154, 124, 82),
        (244, 226, 180),
        sky=((132, 126, 108), (238, 214, 164), (248, 236, 204)),
        ground=((54, 42, 32), (140, 110, 72), (238, 210, 156)),
        sunlight=(252, 228, 178),
        weight=0.5,
    ),
    "spring": Mood(
        (12, 66, 62),
        (122, 178, 104),
        (255, 246, 208),
        sky=((86, 156, 190), (236, 240, 204), (255, 252, 238)),
        ground=((30, 70, 58), (118, 158, 82), (252, 240, 168)),
        sunlight=(255, 248, 208),
        exposure=1.05,
    ),
    "aurora": Mood(
        (6, 24, 52),
        (28, 126, 124),
        (190, 246, 200),
        sky=((14, 14, 54), (34, 98, 116), (96, 160, 156)),
        ground=((12, 16, 40), (40, 66, 88), (150, 214, 192)),
        sunlight=(216, 244, 230),
        exposure=0.88,
        stars=True,
    ),
    "red_sun": Mood(
        (46, 10, 38),
        (200, 52, 50),
        (255, 204, 146),
        sky=((44, 34, 78), (250, 118, 70), (255, 178, 118)),
        ground=((46, 14, 32), (144, 50, 46), (255, 164, 102)),
        sunlight=(255, 152, 104),
        low_sun=True,
        exposure=0.97,
        weight=0.8,
    ),
}
