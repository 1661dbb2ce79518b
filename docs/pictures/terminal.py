"""What a terminal shows, as an SVG picture: the text and the colours that `tmux capture-pane -e` gives."""

import html
import re
import unicodedata

WIDTH, HEIGHT = 8.4, 18  # of a character, in pixels
MARGIN, BAR = 16, 34
GROUND, TEXT = "#10141c", "#d5dbe6"
COLOURS = ["#3a4356", "#ff7078", "#46c987", "#f0b142", "#7aa2ff", "#c596f5", "#56c8d8", "#d5dbe6"]
BRIGHT = ["#8592a8", "#ff9a9f", "#7fe0ae", "#ffd27d", "#a6c0ff", "#dabcff", "#8fe3ee", "#ffffff"]


def _palette(number):
    """A colour of the 256."""
    if number < 16:
        return (COLOURS + BRIGHT)[number]
    if number < 232:
        levels = [0, 95, 135, 175, 215, 255]
        cube = number - 16
        return "#" + "".join(f"{levels[v]:02x}" for v in (cube // 36, cube // 6 % 6, cube % 6))
    return "#" + f"{8 + 10 * (number - 232):02x}" * 3


class Pen:
    """How characters are written from here on: what SGR sequences said."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.colour, self.ground, self.bold, self.dim, self.reverse = None, None, False, False, False

    def take(self, codes):
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 7):
                setattr(self, {1: "bold", 2: "dim", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code == 27:
                self.reverse = False
            elif code in (38, 48) and codes[:1] == [5]:
                setattr(self, "colour" if code == 38 else "ground", _palette(codes[1]))
                del codes[:2]
            elif code == 39:
                self.colour = None
            elif code == 49:
                self.ground = None
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.colour = (COLOURS if code < 90 else BRIGHT)[code % 10]
            elif 40 <= code <= 47:
                self.ground = COLOURS[code - 40]

    def style(self):
        colour, ground = self.colour or TEXT, self.ground
        if self.reverse:
            colour, ground = ground or GROUND, colour
        return colour, ground, self.bold, self.dim


def _columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


def _line(text, pen, y):
    """The elements of one line."""
    parts, column = [], 0
    for piece in re.split(r"(\x1b\[[\d;]*m|\x0e|\x0f)", text):
        if piece.startswith("\x1b["):
            pen.take([int(code or 0) for code in piece[2:-1].split(";")])
            continue
        width = _columns(piece)
        colour, ground, bold, dim = pen.style()
        x = MARGIN + column * WIDTH
        if ground and width:
            parts.append(f'<rect x="{x:.1f}" y="{y - 13.5:.1f}" width="{width * WIDTH:.1f}" '
                         f'height="{HEIGHT}" fill="{ground}"/>')
        # Each word has its own place, so columns stand whatever the font.
        for word in re.finditer(r"\S+(?: \S+)*", piece):
            start = x + _columns(piece[:word.start()]) * WIDTH
            more = (' font-weight="bold"' if bold else "") + (' opacity=".65"' if dim else "")
            parts.append(f'<text x="{start:.1f}" y="{y}" fill="{colour}"{more} '
                         f'textLength="{_columns(word[0]) * WIDTH:.1f}" '
                         f'lengthAdjust="spacingAndGlyphs">{html.escape(word[0])}</text>')
        column += width
    return parts


def svg(captured, columns, rows, title):
    """The picture of a captured screen, in a window with a title."""
    width, height = 2 * MARGIN + columns * WIDTH, BAR + 2 * MARGIN + rows * HEIGHT - 8
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
             'font-family="ui-monospace,DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="14" '
             'xml:space="preserve">',
             f'<title>{html.escape(title)}</title>',
             f'<rect width="{width:.0f}" height="{height:.0f}" rx="10" fill="{GROUND}"/>',
             f'<path d="M0 {BAR}H{width:.0f}" stroke="#2a3446"/>',
             *(f'<circle cx="{20 + 18 * i}" cy="17" r="5.5" fill="#3a4356"/>' for i in range(3)),
             f'<text x="{width / 2:.0f}" y="22" fill="#98a5ba" text-anchor="middle">'
             f'{html.escape(title)}</text>']
    pen = Pen()
    for row, line in enumerate(captured.split("\n")[:rows]):
        parts += _line(line, pen, BAR + MARGIN + 10 + row * HEIGHT)
    return "\n".join([*parts, "</svg>"]) + "\n"
