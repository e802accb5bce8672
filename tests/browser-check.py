#!/usr/bin/env python3
"""Pages of armtap report in a real browser: their program comes to its end without an error, draws, zooms, moves and shows
values; hostile texts do nothing, and neither would a script that got in."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import report_pages as pages
from tally import expect, finish

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
BROWSER = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)

# Without a window there are hardly any frames: a timer makes them.
FRAMES = "window.requestAnimationFrame = function (draw) { return setTimeout(draw, 16); };"
# What a reader does, and what comes of it; put into the title by a copy of the page that has no policy.
READER = """
const said = [], place = document.getElementById("chart");
function wait(then) { setTimeout(then, 200); }
function range() { return place.querySelector(".tools output").textContent; }
function ink(canvas) {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
  return count;
}
const canvases = Array.from(place.querySelectorAll("canvas")), last = canvases[canvases.length - 1];
wait(function () {
  said.push("drawn " + canvases.every(function (one) { return ink(one) > 100; }));
  const whole = range();
  place.querySelectorAll(".tools button")[1].click();
  wait(function () {
    said.push("zooms " + (range() !== whole));
    place.querySelectorAll(".tools button")[0].click();
    wait(function () {
      said.push("whole " + (range() === whole));
      const box = last.getBoundingClientRect();
      last.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width / 2, clientY: box.top + 20 }));
      wait(function () {
        said.push("values " + Array.from(place.querySelectorAll(".legend button output")).filter(function (one) { return /\\d/.test(one.textContent); }).length);
        const curve = place.querySelector(".legend button"), before = ink(canvases[canvases.length - 1]);
        curve.click();
        said.push("pressed " + curve.getAttribute("aria-pressed"));
        const link = document.querySelector("[data-at]");
        if (link) link.click();
        wait(function () {
          said.push("moves " + (link ? range() !== whole : "none"));
          document.title = "READER " + said.join("; ") + " END";
        });
      });
    });
  });
});
"""


def browse(path, *options):
    done = subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           "--virtual-time-budget=8000", "--enable-logging=stderr", "--v=0", *options, "file://" + path],
                          capture_output=True, text=True, timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def check_page(what, path, expects="ready"):
    dom, said = browse(path, "--dump-dom")
    expect("%s: the program comes to its end" % what, 'data-viewer="%s"' % expects in dom, dom[:300])
    expect("%s: no error, no refusal" % what, not said, said)
    return dom


def check_reader(folder, path, values):
    """The policy is taken out of a copy, and the reader put in."""
    copy = os.path.join(folder, "reader.html")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", file.read())
    with open(copy, "w", encoding="utf-8") as file:
        text = text.replace("<body>", "<body><script>" + FRAMES + "</script>")
        file.write(text.replace("</body>", "<script>" + READER + "</script></body>"))
    dom, said = browse(copy, "--dump-dom")
    title = re.search(r"<title>READER (.*?) END</title>", dom)
    seen = dict(one.split(" ", 1) for one in title.group(1).split("; ")) if title else {}
    wanted = {"drawn": "true", "zooms": "true", "whole": "true", "values": str(values), "pressed": "false", "moves": "true"}
    expect("a reader sees, zooms, reads values and moves", seen == wanted, seen, said)


def check_policy(folder, path):
    """A script that got into the page does not run."""
    copy = os.path.join(folder, "injected.html")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace("<h1>", "<script>document.documentElement.dataset.evil = 1</script><h1>", 1))
    dom, said = browse(copy, "--dump-dom")
    expect("the policy refuses other scripts", "data-evil" not in dom and 'data-viewer="ready"' in dom)
    expect("and the browser says so", any("Content Security Policy" in line for line in said), said)


def main():
    if not BROWSER:
        print("chromium is not installed: apt-get install chromium")
        return 1 if os.environ.get("CI") == "true" else 77
    if b"built without libmd" in pages.run("--version").stdout:
        print("built without libmd: there are no pages to open")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stop.html")
        pages.make_page(path, os.path.join(TOP, "captures", "driver-stop.pcap.gz"))
        check_page("a stop", path)
        check_reader(folder, path, 23)
        check_policy(folder, path)
        pages.make_page(path, os.path.join(TOP, "captures", "rtde-refused.pcap"))
        check_page("without plots", path, "none")
        capture = os.path.join(folder, "hostile.pcap")
        pages.hostile_capture(TOP, capture)
        pages.make_page(path, capture)
        expect("hostile texts make no element", "<script>alert" not in check_page("hostile texts", path, "none"))
        capture = os.path.join(folder, "many.pcap")
        pages.write_capture(capture, [0.5] * 30000, missing=set(range(7, 29990, 2)))
        pages.make_page(path, capture)
        check_page("10,000 findings", path)
        pages.write_capture(capture, [0.5] * 9001, step=5)
        pages.make_page(path, capture)
        expect("over midnight: dates", "2026-01-31 12:00:00 to 2026-02-01 00:30:00 UTC" in check_page("over midnight", path))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
