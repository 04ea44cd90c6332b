"""The command line: `python -m minigrad step FILE`."""

import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from irregular import KINDS
from limits import SECONDS, never_endless

import minigrad as mg
from minigrad import __main__
from minigrad.__main__ import COMMANDS, main
from minigrad.engine.backward import backward
from minigrad.engine.modes import mode

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
import numpy as np
import minigrad as mg

def f(x):
    h = np.tanh(x)
    return h * h

x = mg.Tensor([1.0, 2.0], requires_grad=True)
loss = np.sum(f(x) + x)
loss.backward()
print("gradient", x.grad.tolist(), sys.argv[1:])
again = np.sum(x * x)
again.backward()
print("again", x.grad.tolist())
"""


@pytest.fixture
def script(tmp_path):
    def write(text=SCRIPT):
        path = tmp_path / "script.py"
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def run(monkeypatch, capsys, script):
    """Run a script with keys on standard input; returns the status, what is said and complained."""

    def step(keys, text=SCRIPT, *arguments):
        monkeypatch.setattr(sys, "stdin", io.StringIO(keys))
        before = sys.argv, sys.path[:]
        status = main(["step", script(text), *arguments])
        assert (sys.argv, sys.path) == before
        assert backward is mg.Tensor.backward is mg.backward is BACKWARD
        assert not mode.get().watchers
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return status, said.out, said.err

    return step


BACKWARD = backward


def shown(out):
    """The numbers of the steps that were shown."""
    return [int(n) for n in re.findall(r"^Step (\d+):", out, re.MULTILINE)]


def test_enter_shows_the_forward_pass_and_then_a_step_at_a_time(run):
    status, out, err = run("\n\n")
    assert (status, err) == (0, "")
    assert "#1  h     np.tanh(#0)" in out
    assert "script.py:7: h = np.tanh(x)" in out
    assert shown(out) == [1, 2]
    assert "Step 2: np.add #3, (2,) float32" in out
    assert "gradient" not in out.split("Step 1")[1]  # the end of the input is as q


def test_the_steps_are_those_of_steps(run):
    _, out, _ = run("c\n")
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    with mg.record():
        h = np.tanh(x)
        loss = np.sum(h * h + x)
    for step in mg.steps(loss):
        for line in str(step).splitlines()[1:]:
            assert ".py:" in line or line in out


def test_c_goes_on_to_the_end_and_the_script_with_it(run):
    status, out, err = run("c\n", SCRIPT, "--fast", "a b")
    assert (status, err) == (0, "")
    assert shown(out) == [1, 2, 3, 4, 5]
    x = mg.Tensor([1.0, 2.0], requires_grad=True)
    h = np.tanh(x)
    np.sum(h * h + x).backward()
    assert f"gradient {x.grad.tolist()} ['--fast', 'a b']" in out
    np.sum(x * x).backward()
    assert f"again {x.grad.tolist()}" in out  # an ordinary backward()


def test_enter_to_the_end_goes_on_with_the_script(run):
    status, out, _ = run("\n" * 6)
    assert (status, shown(out)) == (0, [1, 2, 3, 4, 5])
    assert "again" in out


@pytest.mark.parametrize(
    ("keys", "steps"),
    [
        ("3\n\nq\n", [3, 4]),
        ("3\n1\n\nq\n", [3, 1, 2]),
        ("g x\nq\n", [5]),
        ("g h\nq\n", [4]),
        ("g #2\n#3\nq\n", [3, 2]),
        ("g loss\n", [1]),
        ("4\nc\n", [4, 5]),
    ],
)
def test_numbers_and_names_jump(run, keys, steps):
    status, out, err = run(keys)
    assert (status, err, shown(out)) == (0, "", steps)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("99\nq\n", "there is no step 99; there are 5"),
        ("g nothing\nq\n", "there is no step nothing; there are 5"),
        ("what\nq\n", "'what' is no key; ? lists them"),
        ("0\nq\n", "'0' is no key"),
        ("g\nq\n", "'g' is no key"),
        ("h\nq\n", "NUMBER        that step"),
        ("?\nq\n", "NUMBER        that step"),
        ("f nothing\nq\n", "there is no nothing in the table"),
    ],
)
def test_keys_that_lead_nowhere_are_answered(run, keys, said):
    status, out, _ = run(keys)
    assert status == 0
    assert said in out


def test_a_long_table_is_shown_when_asked_for(run):
    long = SCRIPT.replace("loss.backward()", "for _ in range(60): loss = loss + 0\nloss.backward()")
    assert long != SCRIPT
    _, out, _ = run("q\n", long)
    assert re.search(r"operation +calls[\s\S]*t shows the table of 6\d rows", out)
    assert "graph of loss" not in out
    _, out, _ = run("t\nq\n", long)
    assert "graph of loss" in out


def test_the_way_forward_is_worked_out_too(run):
    _, out, _ = run("f h\nf #4\nf x\nq\n")
    assert "h = " in out
    assert "  h[0] = " in out
    assert "x, input" in out


def test_backward_of_the_package_and_with_options_is_stepped_too(run):
    text = SCRIPT.replace("loss.backward()", "mg.backward(loss, 2.0, retain_graph=True)", 1)
    _, out, _ = run("c\n", text)
    assert "Step 1: loss = np.sum #4, () float32" in out
    assert "g = 2" in out
    status, out, err = run("c\n", SCRIPT.replace("loss.backward()", "(x * x).backward()", 1))
    assert status == 2
    assert err.startswith("minigrad: ShapeError: backward() starts from one number")


def test_a_script_can_import_what_lies_beside_it(run, tmp_path):
    (tmp_path / "beside_it.py").write_text("factor = 3.0")
    text = SCRIPT.replace("f(x) + x", "f(x) + x * beside_it.factor")
    status, out, _ = run("q\n", f"import beside_it\n{text}")
    assert (status, "x * beside_it.factor" in out) == (0, True)
    sys.modules.pop("beside_it", None)


def test_quitting_runs_nothing_more_of_the_script(run):
    text = SCRIPT.replace(
        "loss.backward()", "try:\n    loss.backward()\nexcept Exception:\n    pass"
    )
    status, out, _ = run("q\n", text)
    assert status == 0
    assert "gradient [" not in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "script.py came to its end without a backward()"),
        ("import sys; sys.exit(0)", "script.py came to its end without a backward()"),
        ("def f():\n    return 1 / 0\nf()", "ZeroDivisionError: division by zero, at script.py:2:"),
        ("x = (", "SyntaxError: '(' was never closed (script.py, line 1)"),
        ("raise ValueError('one\\ntwo')", "ValueError: one, at script.py:1"),
        (SCRIPT.replace("print(", "print(nothing, ", 1), "NameError: name 'nothing' is not defined, at"),
    ],
)  # fmt: skip
def test_scripts_that_fail_are_one_line_and_status_2(run, text, said):
    status, _, err = run("c\n", text)
    assert status == 2
    assert err.startswith("minigrad: ")
    assert said in err
    assert err.count("\n") == 1


def test_the_exit_status_of_the_script_after_backward_is_kept(run):
    assert run("c\n", SCRIPT + "sys.exit(3)")[0] == 3
    status, _, err = run("c\n", SCRIPT + "sys.exit('no more')")
    assert (status, err) == (1, "no more\n")


@pytest.mark.parametrize("what", ["nothing", *KINDS])
def test_a_file_that_cannot_be_read(what, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make, said = KINDS.get(what, (lambda path: None, None))
    make(tmp_path / "script.py")
    with never_endless():
        assert main(["step", "script.py"]) == 2
    said = f" is {said}, not a regular file" if said else ": No such file"
    assert re.fullmatch(rf"minigrad: script\.py{said}.*\n", capsys.readouterr().err)


def test_alone_it_prints_the_help_with_every_command(capsys):
    assert main([]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert all(f" {name} {command.about}" in out for name, command in COMMANDS.items())


@pytest.mark.parametrize("given", [["step"], ["nonsense"], ["--nonsense"]])
def test_wrong_options_are_one_line_and_status_2(given, capsys):
    with pytest.raises(SystemExit) as caught:
        main(given)
    assert caught.value.code == 2
    assert re.fullmatch(r"minigrad: .*--help lists all options.*\n", capsys.readouterr().err)


def test_a_mistyped_command_is_told_which_is_meant(capsys):
    for given in (["lesons"], ["exercises", "chekc", "01"], ["exercises", "01"]):
        with pytest.raises(SystemExit):
            main(given)
    first, second, third = capsys.readouterr().err.splitlines()
    assert "did you mean lessons?" in first
    assert "did you mean check?" in second
    assert "did you mean check 01?" in third


def start(path, **options):
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background
    try:  # is deaf to the key, and so is what it starts
        return subprocess.Popen(
            [sys.executable, "-u", "-m", "minigrad", "step", path],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, heard)


def test_as_a_process_with_keys_from_a_pipe(script):
    process = start(script(), stdin=subprocess.PIPE)
    out, err = process.communicate("\nc\n", timeout=SECONDS)
    assert (process.returncode, err) == (0, "")
    assert shown(out) == [1, 2, 3, 4, 5]
    assert "again" in out


@pytest.mark.slow
def test_the_interrupt_key_ends_it_without_a_traceback(script):
    process = start(script(), stdin=subprocess.PIPE)
    assert process.stdout.readline().startswith("graph of loss")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (130, "")


@pytest.mark.slow
def test_a_reader_that_has_gone_is_no_error(script):
    process = start(script(), stdin=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    with process.stdin as keys, process.stderr as complaints:
        keys.write("c\n")
        keys.close()
        assert process.wait(SECONDS) == 141
        assert complaints.read() == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_at_a_terminal_there_is_a_prompt(script):
    import pty

    mine, theirs = pty.openpty()
    process = start(script(), stdin=theirs)
    os.write(mine, b"\n\x04")  # Enter, and the end of the input
    out, err = process.communicate(timeout=SECONDS)
    os.close(mine), os.close(theirs)
    assert process.returncode == 0
    assert shown(out) == [1]
    assert out.count("> ") + err.count("> ") == 2


def test_the_module_names_its_commands():
    for name in COMMANDS:
        assert f"python -m minigrad {name} " in __main__.__doc__
