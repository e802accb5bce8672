#!/usr/bin/env python3
"""Pages of armtap report, read back by Python's parser: whole, without a request to anywhere, with every finding of armtap
diagnose, the files' SHA-256 and the recipe of armtap recipe --accepted; what captures and names say is text; pages of
10,000 findings, of a day and of modes that change with each record stay below 2 MB."""
import base64
import hashlib
import html
import json
import math
import os
import random
import re
import sys
import tempfile

import report_pages as pages
from tally import expect, finish, share

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
LARGEST = 2000000


def capture(name):
    return os.path.join(TOP, "captures", name)


def check_form(what, text):
    """Well-formed, one policy, scripts and style as it says, nothing that loads."""
    page = pages.Page(text)
    expect("%s: elements are nested" % what, not page.wrong, page.wrong)
    expect("%s: %d bytes" % (what, len(text)), len(text.encode()) < LARGEST)
    policies = [attributes["content"] for tag, attributes in page.elements
                if attributes.get("http-equiv") == "Content-Security-Policy"]
    expect("%s: one policy" % what, len(policies) == 1, policies)
    programs = [text for attributes, text in page.scripts if attributes.get("type") != "application/json"]
    expect("%s: one program, one style" % what, len(programs) == 1 and len(page.styles) == 1)
    allowed = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()
               for one in programs + page.styles]
    expect("%s: the policy allows these two and nothing else" % what, policies == [
        "default-src 'none'; base-uri 'none'; form-action 'none'; script-src %s; style-src %s" % tuple(allowed)], policies)
    loading = [(tag, attributes) for tag, attributes in page.elements
               if {"src", "href", "action", "srcset", "data", "style"} & set(attributes) or
               any(name.startswith("on") for name in attributes)]
    expect("%s: nothing loads, nothing runs" % what, not loading, loading)
    expect("%s: no control characters" % what, not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", text))
    return page


def check_sample(name, folder):
    status, text = pages.make_page(os.path.join(folder, "page.html"), capture(name))
    page = check_form(name, text)
    found = json.loads(pages.run("diagnose", "--json", "--findings-ok", capture(name)).stdout)
    wrong = any(one["severity"] in ("warning", "error") for one in found["findings"])
    expect("%s: status" % name, status == (1 if wrong else 0), status)
    for one in found["findings"]:
        row = [cells for cells in page.rows if len(cells) == 6 and cells[1] == one["id"] and
               cells[3] == str(one["packet"]) and cells[5] == one["text"]]
        expect("%s: %s in packet %s" % (name, one["id"], one["packet"]), len(row) >= 1)
    with open(capture(name), "rb") as file:
        data = file.read()
    expect("%s: size and sum" % name, [capture(name), str(len(data)), hashlib.sha256(data).hexdigest()] in page.rows)
    for incident in found["incidents"]:
        said = incident["text"]
        expect("%s: the page says: %s" % (name, said), any(said in part for part in text_of(page)), said)
    check_head(name, text, found["incidents"])
    return page


def check_head(name, text, incidents):
    """The verdict, then the incidents, before all else."""
    verdict = " ".join(pages.run("diagnose", "--findings-ok", capture(name)).stdout.decode().split("\n\n")[-1].split())
    head = html.unescape(text[text.index("<h1>"):text.index("<h2>")])
    places = [head.find("<strong>%s</strong>" % verdict), *(head.find(one["text"], len(verdict)) for one in incidents)]
    expect("%s: its head" % name, -1 not in places and places == sorted(places), verdict, places)


def text_of(page):
    """Everything that is read as text, in one piece per element."""
    class Reader(pages.html.parser.HTMLParser):
        def __init__(self):
            super().__init__(convert_charrefs=True)
            self.parts = []

        def handle_data(self, data):
            self.parts.append(data)
    reader = Reader()
    reader.feed(page.rawdata_all)
    return reader.parts


def check_partial(folder):
    """A page that does not draw all robots says so; one that does, does not."""
    for name, wanted in (("several-clients.pcapng", True), ("driver-stop.pcap.gz", False)):
        done = pages.run("report", "-o", os.path.join(folder, "page.html"), capture(name))
        with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
            expect("%s: says whether all is drawn" % name, ("Not all of the capture is drawn" in file.read()) == wanted)
        expect("%s: without a warning" % name, not done.stderr, done.stderr)


def check_names(folder):
    """A page is written under no name of another kind of file, nor anything else."""
    for name in "x.pdf", "x.PDF", "x.svg", "x.csv", "x.html.gz", "2026.01", "x.json":
        done = pages.run("report", "-o", os.path.join(folder, name), capture("driver-stop.pcap.gz"))
        expect("%s: refused" % name, done.returncode == 2 and b".html" in done.stderr and not os.path.exists(os.path.join(folder, name)), done)
    for name in "x.html", "x.HTM", "page", ".page":
        done = pages.run("report", "-o", os.path.join(folder, name), capture("driver-stop.pcap.gz"))
        expect("%s: written" % name, done.returncode == 1 and os.path.getsize(os.path.join(folder, name)) > 1000, done)


def check_recipe(folder):
    path = capture("rtde-refused.pcap")
    _, text = pages.make_page(os.path.join(folder, "page.html"), path)
    recipe = pages.run("recipe", "--from", path, "--accepted", "--packet", "7").stdout.decode()
    page = pages.Page(text)
    page.rawdata_all = text
    expect("the page has the recipe that the controller accepts", recipe in text_of(page), recipe)


def check_hostile(folder):
    path = os.path.join(folder, "<img src=x onerror=alert(1)>\x1b[31m\u202e\"'.pcap")
    pages.hostile_capture(TOP, path)
    status, text = pages.make_page(os.path.join(folder, "hostile.html"), path)
    page = check_form("hostile", text)
    expect("hostile: status", status == 1, status)
    expect("hostile: the texts are there", any("<script>alert(1)</script>'" in cell for row in page.rows for cell in row))
    expect("hostile: no element of theirs", not {"img", "b"} & {tag for tag, _ in page.elements})


def check_many_findings(folder):
    path = os.path.join(folder, "many.pcap")
    pages.write_capture(path, [0.5] * 30000, missing=set(range(7, 29990, 2)))
    found = json.loads(pages.run("diagnose", "--json", "--findings-ok", path).stdout)["findings"]
    total = sum(int((re.match(r"(\d+) more, up to packet", one["text"]) or [1, 1])[1]) for one in found)
    expect("many: at least 10,000 findings", total >= 10000, total)
    _, text = pages.make_page(os.path.join(folder, "many.html"), path)
    page = check_form("many findings", text)
    sums = [re.match(r"and (\d+) more", row[5]) for row in page.rows if len(row) == 6]
    shown = sum(1 for row in page.rows if len(row) == 6 and row[0] in ("error", "warning", "notice", "info"))
    left = sum(int(one.group(1)) for one in sums if one)
    expect("many: shown and left out are all", shown - sum(map(bool, sums)) + left == total, (shown, left, total))


def check_day(folder):
    """A day of noise in every bin of every curve."""
    noise, path = random.Random(5), os.path.join(folder, "day.pcap")
    pages.write_capture(path, [math.sin(i / 50) + noise.random() for i in range(30000)], step=86400 / 30000)
    _, text = pages.make_page(os.path.join(folder, "day.html"), path)
    page = check_form("a day", text)
    chart = json.loads(next(text for attributes, text in page.scripts if attributes.get("type") == "application/json"))
    expect("a day: its span", abs(chart["span"] - 86400) < 60, chart["span"])
    print("a day: %d bytes" % len(text))


def check_turmoil(folder):
    """All that a page shows, at its largest at once."""
    for clients, records in ((3, 9000), (24, 900)):
        path = os.path.join(folder, "turmoil.pcap")
        pages.write_turmoil(path, clients, records, 86400 / records, random.Random(9))
        _, text = pages.make_page(os.path.join(folder, "turmoil.html"), path)
        page = check_form("%d clients" % clients, text)
        chart = json.loads(next(text for attributes, text in page.scripts if attributes.get("type") == "application/json"))
        for part, least in (("panels", 3), ("strips", 2), ("stops", 100)):
            expect("%d clients: %s are drawn" % (clients, part), len(chart[part]) >= least, len(chart[part]))
        expect("%d clients: all in the picture" % clients, "<svg" in text and "too many plots" not in text)
        print("%d clients: %d bytes" % (clients, len(text)))


def main():
    original = pages.Page.feed

    def feed(self, data):
        self.rawdata_all = data
        original(self, data)
    pages.Page.feed = feed
    with tempfile.TemporaryDirectory() as folder:
        for name in share(("cb2-812.pcap.gz", "rtde-refused.pcap", "driver-stop.pcap.gz", "primary-stop.pcap.gz",
                     "not-connected.pcap", "several-clients.pcapng", "e-series-1220.pcapng.gz"), 4, "samples"):
            check_sample(name, folder)
        check_partial(folder)
        check_names(folder)
        check_recipe(folder)
        check_hostile(folder)
        check_many_findings(folder)
        check_day(folder)
        check_turmoil(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
