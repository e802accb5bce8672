"""Pictures of armtap plot as SVG: their panels, curves, stops and gaps, by how they are drawn."""
import re
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]
STOP, GAP = "#cc0000", "#c8c8c8"


def lines(element):
    """The parts of a line, which breaks interrupt."""
    parts = [re.findall(r"(-?[\d.]+),(-?[\d.]+)", part) for part in element.get("d", "").split("M")]
    return [[(float(x), float(y)) for x, y in part] for part in parts if part]


def points(element):
    return [point for line in lines(element) for point in line]


class Picture:
    """Panels by caption, each with its frame, its ticks and its curves by colour."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.panels, self.stops, self.gaps, self.words = {}, [], [], []
        current, last = None, None
        for element in self.root.iter():
            kind = element.tag.replace(SVG, "")
            if kind == "text":
                self.words.append(element.text)
            if kind == "text" and element.get("font-weight") == "bold":
                current = self.panels[element.text] = {"ticks": [], "curves": {}, "dots": []}
            elif kind == "text" and current is not None and element.get("text-anchor") == "end" and last is not None:
                try:
                    current["ticks"].append((float(element.text), last))
                except ValueError:
                    pass
            elif kind == "path" and element.get("stroke") in COLOURS and element.get("stroke-width") == "1.2":
                current["curves"].setdefault(element.get("stroke"), []).extend(points(element))
            elif kind == "path" and element.get("stroke") == STOP:
                if points(element)[0][0] not in self.stops:  # it goes on in each panel
                    self.stops.append(points(element)[0][0])
            elif kind == "path" and element.get("stroke") == "#e6e6e6" and \
                    points(element)[0][1] == points(element)[1][1]:
                last = points(element)[0][1]
            elif kind == "rect" and element.get("fill") == GAP:
                self.gaps.append((float(element.get("x")), float(element.get("width"))))


def value_of(panel):
    """From a height in pixels to a value, by two ticks."""
    (low, low_y), (high, high_y) = panel["ticks"][0], panel["ticks"][-1]
    scale = (high - low) / (high_y - low_y)
    return (lambda y: low + (y - low_y) * scale), abs(scale)
