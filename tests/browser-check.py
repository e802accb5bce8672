#!/usr/bin/env python3
"""Pages of armtap report in a real browser: their program comes to its end without an error, draws, zooms, moves and shows
values; hostile texts do nothing, and neither would a script that got in."""
import datetime
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import report_pages as pages
from robot_capture import BEGIN, Capture, Client
from tally import expect, finish, lacks, share

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

# Points at shares of the time axis, one after the other: the time shown, and the first curve's value.
POINTER = """
const seen = [], canvas = document.querySelector("#chart canvas:last-of-type");
function point(shares) {
  if (!shares.length) { document.title = "POINTER " + JSON.stringify(seen) + " END"; return; }
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + LEFT + shares[0] * (box.width - LEFT - 12), clientY: box.top + 20 }));
  setTimeout(function () {
    seen.push([document.querySelector(".tools output").textContent, document.querySelector(".legend button output").textContent]);
    point(shares.slice(1));
  }, 200);
}
setTimeout(function () { point(SHARES); }, 200);
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


def put_in(folder, path, script):
    """The policy is taken out of a copy, and a script put in."""
    copy = os.path.join(folder, "reader.html")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", file.read())
    with open(copy, "w", encoding="utf-8") as file:
        text = text.replace("<body>", "<body><script>" + FRAMES + "</script>")
        file.write(text.replace("</body>", "<script>" + script + "</script></body>"))
    return browse(copy, "--dump-dom")


def check_reader(folder, path, values):
    dom, said = put_in(folder, path, READER)
    title = re.search(r"<title>READER (.*?) END</title>", dom)
    seen = dict(one.split(" ", 1) for one in title.group(1).split("; ")) if title else {}
    wanted = {"drawn": "true", "zooms": "true", "whole": "true", "values": str(values), "pressed": "false", "moves": "true"}
    expect("a reader sees, zooms, reads values and moves", seen == wanted, seen, said)


def pointed_at(folder, capture, *shares, fields="actual_q_0", zone=None):
    """What a page of armtap plot shows at these shares of its time: (time, value)."""
    capture.write(os.path.join(folder, "pointed.pcap"))
    page = os.path.join(folder, "pointed.html")
    environment = dict(os.environ, **({"TZ": zone} if zone else {}))
    subprocess.run([pages.ARMTAP, "plot", *(["--local"] if zone else []), "-o", page, "--fields", fields,
                    os.path.join(folder, "pointed.pcap")], check=True, env=environment)
    dom, said = put_in(folder, page, POINTER.replace("LEFT", "70").replace("SHARES", json.dumps(shares)))
    title = re.search(r"<title>POINTER (.*?) END</title>", dom)
    expect("the pointer comes to its end", title is not None, said)
    return [tuple(one) for one in json.loads(html.unescape(title.group(1)))] if title else [("", "")] * len(shares)


def check_gap(folder):
    """In a gap there are no values, before and after it there are."""
    capture = Capture()
    client = Client(capture, 0, [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D")])
    for i in range(1000):
        client.package(0.01 + i * 0.01, 100 + i * 0.01, *[i // 400] * 6, is_lost=400 <= i < 600)
    seen = pointed_at(folder, capture, 0.1, 0.39, 0.41, 0.43, 0.5, 0.59, 0.61, 0.99)
    expect("a value only where one came", [value[:4] for _, value in seen] ==
           ["0.00", "0.00", "", "", "", "", "1.00", "2.00"], seen)
    capture = Capture()
    early, late = (Client(capture, 0, [("timestamp", "DOUBLE"), (name, "VECTOR6D")], port) for name, port in
                   (("actual_q", 40001), ("actual_qd", 40002)))
    for i in range(1000):
        if i < 500:
            early.package(0.01 + i * 0.01, 100 + i * 0.01, *[1] * 6)
        late.package(0.01 + i * 0.01, 100 + i * 0.01, *[1] * 6)
    seen = pointed_at(folder, capture, 0.45, 0.55, fields="actual_q_0,actual_qd_0")
    expect("none after a stream's end", [value[:4] for _, value in seen] == ["1.00", ""], seen)


def check_large(folder):
    """Steps of 1 in numbers of ten digits are shown."""
    capture = Capture()
    client = Client(capture, 0, [("timestamp", "DOUBLE"), ("output_int_register_0", "INT32")])
    for i in range(1000):
        client.package(0.01 + i * 0.01, 100 + i * 0.01, -1234567890 + i // 250)
    seen = pointed_at(folder, capture, 0.1, 0.4, 0.6, 0.9, fields="output_int_register_0")
    expect("every digit of large numbers", [float(value) for _, value in seen] == [-1234567890.0 + i for i in range(4)], seen)


def check_summer_time(folder):
    """Clocks go forward at 01:00 UTC, 57 days after the capture's day: the time shown follows."""
    change = datetime.datetime(2026, 3, 29, 1, tzinfo=datetime.timezone.utc).timestamp() - BEGIN
    capture = Capture()
    client = Client(capture, change - 3600, [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D")])
    for i in range(721):
        client.package(change - 3600 + i * 10, 100 + i * 10, *[i] * 6)
    seen = pointed_at(folder, capture, 0.25, 0.75, zone="Europe/Berlin")
    expect("before and after the change", [time[:5] for time, _ in seen] in (["01:30", "03:30"], ["01:29", "03:29"]), seen)


def make_stop(folder):
    path = os.path.join(folder, "stop.html")
    pages.make_page(path, os.path.join(TOP, "captures", "driver-stop.pcap.gz"))
    return path


def check_policy(folder):
    """A script that got into the page does not run."""
    path, copy = make_stop(folder), os.path.join(folder, "injected.html")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace("<h1>", "<script>document.documentElement.dataset.evil = 1</script><h1>", 1))
    dom, said = browse(copy, "--dump-dom")
    expect("the policy refuses other scripts", "data-evil" not in dom and 'data-viewer="ready"' in dom)
    expect("and the browser says so", any("Content Security Policy" in line for line in said), said)


def check_many(folder):
    path, capture = os.path.join(folder, "many.html"), os.path.join(folder, "many.pcap")
    pages.write_capture(capture, [0.5] * 30000, missing=set(range(7, 29990, 2)))
    pages.make_page(path, capture)
    check_page("10,000 findings", path)


def check_midnight(folder):
    path, capture = os.path.join(folder, "midnight.html"), os.path.join(folder, "midnight.pcap")
    pages.write_capture(capture, [0.5] * 9001, step=5)
    pages.make_page(path, capture)
    expect("over midnight: dates", "2026-01-31 12:00:00 to 2026-02-01 00:30:00 UTC" in check_page("over midnight", path))


def check_no_plots(folder):
    path = os.path.join(folder, "refused.html")
    pages.make_page(path, os.path.join(TOP, "captures", "rtde-refused.pcap"))
    check_page("without plots", path, "none")


def check_hostile(folder):
    path, capture = os.path.join(folder, "hostile.html"), os.path.join(folder, "hostile.pcap")
    pages.hostile_capture(TOP, capture)
    pages.make_page(path, capture)
    expect("hostile texts make no element", "<script>alert" not in check_page("hostile texts", path, "none"))


def main():
    if not BROWSER:
        lacks("chromium")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for check in share((check_gap, check_large, check_summer_time, check_many, check_midnight, check_policy, check_no_plots,
                            check_hostile), 4, "pages"):
            check(folder)
        path = make_stop(folder)
        check_page("a stop", path)
        check_reader(folder, path, 23)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
