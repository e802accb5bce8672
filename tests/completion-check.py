#!/usr/bin/env python3
"""What Tab offers in bash, zsh and fish: for every command and every option of the help, against the help, `fields`,
`recipe --list`, findings.def and realtime_sizes.def. Shells that are not installed are left out."""
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from tally import expect, finish, lacks, share

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
ARMTAP = os.path.abspath(os.environ.get("ARMTAP") or os.path.join(os.environ.get("builddir", "."), "armtap"))
SCRIPTS = os.path.join(TOP, "tools", "completions")
FILE = "one capture.pcap"
ENV = dict(os.environ, PATH=os.path.dirname(ARMTAP) + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", TERM="dumb")


def run(*words, status=0):
    done = subprocess.run([ARMTAP, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=ENV)
    expect("status of " + " ".join(words), status is None or done.returncode == status, done.returncode, done.stderr)
    return done.stdout if status is not None else done.stderr


def offered(*words):
    """The words that armtap itself offers, and its remarks, such as :files."""
    lines = run("--complete", *words).splitlines()
    return ([line.split("\t")[0] for line in lines if line[0] != ":"], {line for line in lines if line[0] == ":"})


def commands():
    text = run("--help").split("\nCommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+)", text, re.M)


def options_of(command):
    """[(names, value)] of the help; value None: the option takes none."""
    text = run(command, "--help").split("\nOptions:\n")[1].split("\nExample:")[0]
    found = []
    for line in re.findall(r"^  (-.*)$", text, re.M):
        head = re.split(r"  +", line)[0]
        names = re.findall(r"(?:^|, )(--?[\w-]+)", head)
        value = re.sub(r"^(?:-\w, )?--?[\w-]+", "", head).strip()
        found.append((names, value or None))
    return found


# ---- the program's own answers ---------------------------------------------------------------------------------------

def check_lists(names):
    fields = [one["name"] for one in json.loads(run("fields", "--json"))]
    columns = re.findall(r"^ROW_COLUMN\((\w+),", open(os.path.join(TOP, "tools/export/rows/row_columns.def")).read(), re.M)
    notes = re.findall(r'^(?:NOTE|FINDING|HEARD)\(\w+, "([^"]+)"', open(os.path.join(TOP, "lib/protocol/findings.def")).read(), re.M)
    recipes = ["@" + one["name"] for one in json.loads(run("recipe", "--list", "--json"))]
    expect("commands", set(offered("")[0]) == set(names) | {"help", "--help", "--version"}, offered(""))
    expect("a capture in place of a command", ":files" in offered("")[1])
    expect("help", set(offered("help", "")[0]) == set(names) - {"help"} | {"armtap", "findings", "formats", "sources"} and not offered("help", "")[1])
    expect("fields of export", set(offered("export", "--fields", "")[0]) == set(fields + columns))
    expect("fields after a comma", set(offered("export", "--fields", "time,")[0]) == {"time," + one for one in fields + columns})
    expect("fields go on", ":open" in offered("export", "--fields", "time,")[1])
    expect("elements", offered("export", "--fields=actual_q_")[0] == ["--fields=actual_q_%d" % i for i in range(6)])
    expect("names", run("fields", "--names").split() == fields)
    expect("names of a pattern", run("fields", "--names", "actual_q").split() == [one for one in fields if "actual_q" in one])
    expect("fields of fields", set(offered("fields", "")[0]) == set(fields))
    expect("findings", len(notes) > 50 and offered("diagnose", "--around", "")[0] == notes, notes)
    expect("recipes", len(recipes) > 20 and offered("recipe", "@")[0] == recipes)
    expect("recipes of --recipe", offered("info", "--recipe", "") == (recipes, {":files"}))
    sizes = re.findall(r"^SIZE\((\d+),", open(os.path.join(TOP, "decoders/realtime_sizes.def")).read(), re.M)
    expect("layouts of the bridge", len(sizes) >= 12 and offered("serve", "--layout", "") == (sizes, set()), offered("serve", "--layout", ""))
    expect("layouts of a recipe", offered("recipe", "--layout", "")[0] == ["cb2", "cb3e"] + sizes, offered("recipe", "--layout", ""))
    expect("layouts of an export", offered("export", "--layout", "")[0] == ["cb2", "cb3e"])
    expect("a layout that is begun", offered("serve", "--layout=11")[0] == ["--layout=1108", "--layout=1116", "--layout=1140"])
    expect("interfaces", sorted(offered("info", "-i", "")[0]) == sorted([name for _, name in socket.if_nameindex()] + ["any"]), offered("info", "-i", ""))
    enums = [one for one in fields if subprocess.run([ARMTAP, "fields", "--enum", one], capture_output=True).returncode == 0]
    expect("enumerations", enums and offered("fields", "--enum", "")[0] == enums)
    expect("robots", offered("info", "rt") == (["rtde://"], {":files", ":open"}))
    expect("operands after --", offered("info", "--", "--j")[0] == [])
    expect("a value is no option", offered("export", "--output", "--f")[0] == [])
    expect("a value in its word", offered("export", "-ocsv", "--for")[0] == ["--format"])
    expect("glued to its letter", offered("export", "-fp")[0] == ["-fparquet"])
    expect("after a capture in place of a command", offered(os.path.join(TOP, "README.md"), "--js")[0] == ["--json"])
    expect("no such command", run("--complete", "nosuch", "") == "")
    expect("no end of words", set(offered()[0]) == set(offered("")[0]))
    expect("what is typed controls no terminal", run("--complete", "export", "--fields", "\x1b[31m,") == "")


def check_words(command, names, value):
    """Every word offered is taken, and one that is not offered is refused."""
    words, _ = offered(command, names[-1], "")
    if not words or value in ("NAME", "A,B,C", "NAMES") or names[-1] in ("--fields", "--around", "--recipe"):
        return
    for word in share(words, 12, "words of each option"):
        said = run(command, "%s=%s" % (names[-1], word), "/nowhere/it.pcap", status=None)
        expect("%s takes %s %s" % (command, names[-1], word), "'%s'" % word not in said and "unknown" not in said, said)


def check_options(command):
    options = options_of(command)
    expect("%s has options" % command, len(options) >= 2)
    expect("options of " + command, sorted(offered(command, "-")[0]) == sorted(sum((names for names, _ in options), [])),
           offered(command, "-"))
    for names, value in options:
        if value:
            check_words(command, names, value)
            if value in ("FILE", "CAPTURE", "OUT", "DIR", "SIDECAR") or names[-1] == "--output":
                expect("files after %s %s" % (command, names[-1]), ":files" in offered(command, names[-1], "")[1])
            if value == "PROTOCOL":
                expect("protocols", "rtde" in offered(command, names[-1], "")[0])
    return options


# ---- the shells ------------------------------------------------------------------------------------------------------

BASH = """
source "$1"
shift
for line; do
    read -r -a COMP_WORDS <<<"$line"
    [[ $line == *' ' ]] && COMP_WORDS+=("")
    COMP_LINE=$line COMP_POINT=${#line} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _armtap armtap "${COMP_WORDS[COMP_CWORD]}" ""
    printf '%s\\n' "${COMPREPLY[@]}" =
done
"""
# A name on a line, quoted, whatever is in it.
BASH_NAMES = BASH.replace("'%s\\n'", "'%q\\n'")
ZSH = """
script=$1
shift
compadd() { print -rl -- $found }
compset() { PREFIX=${PREFIX#--*=} }
_files() { print -rl -- ${PREFIX}*(N) }
for line; do
    words=(${(z)line})
    [[ $line == *' ' ]] && words+=('')
    CURRENT=$#words PREFIX=$words[-1]
    source $script
    print -r -- =
done
"""
FISH = """
source $argv[1]
for line in $argv[2..-1]
    complete -C "$line" | string replace -r '\\t.*' ''
    echo =
end
"""


def ask(shell, lines, folder):
    """What a shell offers after each line."""
    how = {"bash": (["bash", "--norc", "-c", BASH, "bash"], "bash/armtap"),
           "zsh": (["zsh", "-f", "-c", ZSH, "zsh"], "zsh/_armtap"),
           "fish": (["fish", "--no-config", "-c", FISH], "fish/armtap.fish")}[shell]
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([*how[0], os.path.join(SCRIPTS, how[1]), *lines], capture_output=True, text=True, cwd=folder,
                              env=dict(ENV, HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home),
                              stdin=subprocess.DEVNULL)
    expect(shell + " says nothing", done.stderr == "", done.stderr)
    answers = done.stdout.split("=\n")
    expect(shell + " answers each line", len(answers) == len(lines) + 1, len(answers), len(lines))
    return [{word for word in answer.splitlines() if word} for answer in answers]


def check_shell(shell, lines, folder):
    for line, answer in zip(lines, ask(shell, lines, folder)):
        words, remarks = offered(*line.split(" ")[1:])
        wanted = set(words) | ({FILE} if ":files" in remarks and line.endswith(" ") else set())
        if shell == "bash" and words:
            answer = {one.replace("\\ ", " ") for one in answer}
        expect("%s: %s" % (shell, line), answer == wanted, sorted(answer ^ wanted))


# What bash offers in a folder with these files, and whatever the user's shell is set to.
AWKWARD = ["-x", "new\nline", "two  blanks ", "*", "$d", ".hidden"]
OFFERED = {
    "armtap info ": ["./-x", *AWKWARD[1:]],
    "armtap export --output=": ["./-x", *AWKWARD[1:]],
    "armtap info n": ["new\nline"],
    "armtap info .": [".hidden"],
    "armtap info -- -": ["-x"],
    "armtap info ./-": ["./-x"],
    "armtap info \\*": ["*"],
}


def check_awkward_names(folder):
    for name in AWKWARD:
        open(os.path.join(folder, name), "w").close()
    for options in ("", "set -f; ", "shopt -s failglob; ", "GLOBIGNORE='*'; "):
        for line, wanted in OFFERED.items():
            done = subprocess.run(["bash", "--norc", "-c", options + BASH_NAMES, "bash", os.path.join(SCRIPTS, "bash/armtap"), line],
                                  capture_output=True, text=True, cwd=folder, env=ENV, stdin=subprocess.DEVNULL)
            spelled = subprocess.run(["bash", "-c", "printf '%q\\n' \"$@\"", "bash", *wanted], capture_output=True, text=True)
            expect("%soffered in bash: %r" % (options, line), set(done.stdout.splitlines()[:-1]) == set(spelled.stdout.splitlines()),
                   done.stdout, done.stderr)


TYPED = {
    "armtap dia\t": "armtap diagnose ",
    "armtap recipe @robot\t": "armtap recipe @robot",
    "armtap recipe @robot-\t": "armtap recipe @robot-raconteur ",
    "armtap info --recipe=@robot-\t": "armtap info --recipe=@robot-raconteur ",
    "armtap export --format=par\t": "armtap export --format=parquet ",
    "armtap export --fields time,actual_TCP_p\t": "armtap export --fields time,actual_TCP_pose",
    "armtap info --port 30003=rea\t": "armtap info --port 30003=realtime ",
    "armtap info realt\t": "armtap info realtime://",
    "armtap info one\t": "armtap info one\\ capture.pcap ",
    "armtap export --output=one\t": "armtap export --output=one\\ capture.pcap ",
    "armtap info 'one\t": "armtap info 'one capture.pcap' ",
    "armtap info folder/in\t": "armtap info folder/inside ",
}


def type_in_bash(typed, folder):
    """The line that stands on the terminal after the keys, put between < and >."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("bash", ["bash", "--norc", "-i"], dict(ENV, PS1="$ ", INPUTRC="/dev/null", HISTFILE="", HOME=folder))
    text = b""

    def until(end):
        nonlocal text
        while end not in text and select.select([terminal], [], [], 20)[0]:
            text += os.read(terminal, 65536)

    try:
        os.write(terminal, ("bind 'set enable-bracketed-paste off'; source '%s/bash/armtap'; echo re''ady\n" % SCRIPTS).encode())
        until(b"ready\r\n")
        os.write(terminal, (typed + "\x01\x0b").encode())  # completes, then cuts the whole line
        os.write(terminal, b"cat <<'end' | sed 's/.*/<&>/; s/^/ans''wer/'\n\x19\nend\n")
        while not re.search(rb"answer<(.*?)>\r\n", text) and select.select([terminal], [], [], 20)[0]:
            text += os.read(terminal, 65536)
        found = re.search(rb"answer<(.*?)>\r\n", text)
        return found.group(1).decode() if found else text.decode()
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


TYPED_IN_ZSH = {
    "armtap export -o \t": "armtap export -o ./-x ",
    "armtap export --output=\t": "armtap export --output=./-x ",
    "armtap info ./-\t": "armtap info ./-x ",
    "armtap info -- -\t": "armtap info -- -x ",
}
ZSH_KEYS = """fpath=(%s/zsh $fpath); autoload -U compinit; compinit -u -D
show() { print -r -- "ans""wer<$BUFFER>"; BUFFER= }; zle -N show; bindkey '^X' show; echo re''ady
"""


def type_in_zsh(lines, folder):
    """The line that stands on the terminal after the keys, of each."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-f", "-i"], dict(ENV, HOME=folder))

    def until(pattern):
        text = b""
        while not re.search(pattern, text) and select.select([terminal], [], [], 20)[0]:
            text += os.read(terminal, 65536)
        found = re.search(pattern, text)
        return found.group(1).decode() if found else text.decode(errors="replace")

    try:
        os.write(terminal, (ZSH_KEYS % SCRIPTS).encode())
        until(rb"(ready)\r*\n")
        answers = []
        for typed in lines:
            os.write(terminal, typed.encode() + b"\x18")
            answers.append(until(rb"answer<(.*?)>"))
        return answers
    finally:
        os.kill(pid, signal.SIGKILL)
        os.close(terminal)
        os.waitpid(pid, 0)


def check_dash_in_zsh():
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "-x"), "w").close()
        for (typed, wanted), now in zip(TYPED_IN_ZSH.items(), type_in_zsh(TYPED_IN_ZSH, folder)):
            expect("typed in zsh: %r" % typed, now == wanted, repr(now))


def check_awkward_names_in_fish(folder):
    """fish offers what it offers for any command: its own names of files, and no hidden ones."""
    offers = ask("fish", ["armtap info ", "armtap info new"], folder)
    expect("fish offers awkward names", {"two  blanks ", "*", "$d"} <= offers[0] and ".hidden" not in offers[0], offers[0])
    expect("fish offers a name with a newline", offers[1] == {"new", "line"}, offers[1])


def main():
    names = commands()
    lines = ["armtap ", "armtap in", "armtap help "]
    check_lists(names)
    for command in names:
        if command == "help":
            continue
        lines += ["armtap %s " % command, "armtap %s --" % command, "armtap %s -" % command]
        for options, value in check_options(command):
            if value and value[0] != "[":
                lines += ["armtap %s %s " % (command, option) for option in options]
            elif not value:
                lines.append("armtap %s %s" % (command, options[-1]))
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, FILE), "w").close()
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                check_shell(shell, share(lines, 12, "lines in each shell"), folder)
            else:
                lacks(shell, "its completion")
        os.mkdir(os.path.join(folder, "folder"))
        open(os.path.join(folder, "folder", "inside"), "w").close()
        for typed, wanted in share(TYPED.items(), 6, "lines typed in bash"):
            now = type_in_bash(typed, folder)
            expect("typed in bash: %r" % typed, now == wanted, repr(now))
    with tempfile.TemporaryDirectory() as folder:
        check_awkward_names(folder)
        if shutil.which("fish"):
            check_awkward_names_in_fish(folder)
    if shutil.which("zsh"):
        check_dash_in_zsh()


main()
sys.exit(finish())
