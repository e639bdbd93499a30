"""evo in agents' settings. Laws: twice is once; taken out again every byte is as it was; what others wrote stays theirs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsontexts import texts

from self_improving import api, replace, templates
from self_improving.agents import hosts
from self_improving.core import blocks, jsonedit
from self_improving.outcome import Failure, Outcome
from self_improving.verbs import installing

NAMES = ["claude-code", "codex", "copilot", "cursor", "gemini-cli", "openclaw", "opencode", "windsurf"]
FILES = {
    "claude-code": [".claude/settings.json", ".claude/skills/evo/SKILL.md"],
    "codex": [".codex/hooks.json", ".codex/skills/evo/SKILL.md"],
    "copilot": [".copilot/hooks/evo.json"],
    "cursor": [".cursor/hooks.json", "p/.cursor/rules/evo-memory.mdc"],
    "gemini-cli": [".gemini/settings.json"],
    "openclaw": [".openclaw/hooks/evo/HOOK.md", ".openclaw/hooks/evo/handler.ts"],
    "opencode": [".config/opencode/plugins/evo.js"],
    "windsurf": [".codeium/windsurf/hooks.json", "p/.windsurf/rules/evo-memory.md"],
}
LAUNCHER = ".local/share/evo/hook.py"
Do = Callable[..., Outcome]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home with a project in it, in which we are; no variable says where agents keep things."""
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "COPILOT_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    found = Path(os.environ["HOME"])
    (found / "p/.git").mkdir(parents=True)
    monkeypatch.chdir(found / "p")
    return found


def install(agent: str, **how: Any) -> Outcome:
    return api.install(api.place(now=datetime(2026, 5, 1)), agent, **how)


def uninstall(agent: str, **how: Any) -> Outcome:
    return api.uninstall(api.place(now=datetime(2026, 5, 1)), agent, **how)


def tree(home: Path) -> dict[str, bytes | None]:
    """Every file and folder but the store."""
    return {
        p.relative_to(home).as_posix(): p.read_bytes() if p.is_file() else None
        for p in sorted(home.rglob("*"))
        if "self-improving" not in p.parts and ".git" not in p.parts
    }


def write(file: Path, text: str | bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def handlers(found: Any) -> list[dict[str, Any]]:
    return [
        handler for groups in found["hooks"].values() for group in groups for handler in group.get("hooks", [group])
    ]


# -- every agent -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_twice_is_once_and_taken_out_everything_is_as_it_was(name: str, home: Path) -> None:
    (home / ".local/share").mkdir(parents=True)
    before = tree(home)
    done = install(name)
    assert [f["path"] for f in done.data["files"]] == [str(home / f) for f in (LAUNCHER, *FILES[name])]
    assert all(f["changed"] for f in done.data["files"]) and done.data["next"]
    after = tree(home)
    again = install(name)
    assert not any(f["changed"] for f in again.data["files"])
    assert tree(home) == after
    assert (home / "self-improving/heartbeat-state.md").is_file()
    taken = uninstall(name)
    assert all(f["changed"] for f in taken.data["files"])
    assert tree(home) == before
    assert not any(f["changed"] for f in uninstall(name).data["files"])


@pytest.mark.parametrize("name", NAMES)
def test_a_dry_run_shows_the_diff_and_writes_nothing(name: str, home: Path, tmp_path: Path) -> None:
    before = tree(home)
    shown = install(name, dry_run=True)
    assert tree(home) == before and not (home / "self-improving").exists()
    if patch := shutil.which("patch"):
        done = subprocess.run(
            [patch, "-p0", "--dry-run"], input=shown.data["diff"].encode(), capture_output=True, cwd="/"
        )
        assert done.returncode == 0, done.stdout
    install(name)
    full = tree(home)
    assert uninstall(name, dry_run=True).data["diff"].count("+++ /dev/null") == len(FILES[name]) + 1
    assert tree(home) == full


@pytest.mark.parametrize("name", [n for n in NAMES if hasattr(hosts.named(n), "SETTINGS")])
def test_what_others_put_there_stays(name: str, home: Path) -> None:
    host = hosts.named(name)
    theirs: Any = {"command": "evo-like hook prompt", "type": "command"}
    theirs = {"hooks": [theirs]} if host.GROUPED else theirs
    event = host.HOOKS[0][0]
    text = json.dumps({"z": 1, **dict(host.ALWAYS), "hooks": {"Other": [], event: [theirs]}, "a": "é"}, indent="\t")
    file = write(home / FILES[name][0], text.replace("\n", "\r\n"))
    before = file.read_bytes()
    install(name)
    found = json.loads(file.read_bytes())
    assert found["hooks"][event][0] == theirs and found["hooks"]["Other"] == [] and list(found)[-1] == "a"
    assert len(handlers(found)) == len(host.HOOKS) + 1
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    uninstall(name)
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("notes", [True, False])
def test_what_others_added_since_stays_when_ours_goes(name: str, notes: bool, home: Path) -> None:
    host = hosts.named(name)
    if not hasattr(host, "SETTINGS"):
        pytest.skip("its files are wholly ours")
    install(name)
    file = home / FILES[name][0]
    found = json.loads(file.read_bytes())
    theirs: Any = {"hooks": [{"command": "x"}]} if host.GROUPED else {"command": "x"}
    found["hooks"][host.HOOKS[1][0]].insert(0, theirs)
    if host.GROUPED:
        found["hooks"][host.HOOKS[0][0]][0]["hooks"].append({"command": "y"})
    write(file, json.dumps(found))
    if not notes:
        (home / ".local/share/evo/installed.json").unlink()
    uninstall(name)
    left = json.loads(file.read_bytes())
    expected = {host.HOOKS[1][0]: [theirs]}
    if host.GROUPED:
        matcher = {"matcher": host.HOOKS[0][2]} if host.HOOKS[0][2] else {}
        expected |= {host.HOOKS[0][0]: [{**matcher, "hooks": [{"command": "y"}]}]}
    assert left == {**dict(host.ALWAYS), "hooks": expected}


@pytest.mark.parametrize("name", ["claude-code", "gemini-cli", "cursor"])
@given(data=st.data())
def test_any_settings_come_back_as_they_were(name: str, data: st.DataObject) -> None:
    """Catches a removal that does not know what an install had made."""
    host = hosts.named(name)
    text = data.draw(texts(False) if not host.COMMENTS else texts(True))
    try:
        jsonedit.parsed(text, comments=host.COMMENTS)
    except jsonedit.Broken:  # a comma behind the last
        return
    once, made = installing._with_hooks(host, text, {})
    assert made
    note = {"made": json.loads(json.dumps(made.as_json()))}
    assert installing._with_hooks(host, once, note)[0] == once
    ours = installing._ours_at(host)
    assert jsonedit.without(once, ours, made, untouched=True, comments=host.COMMENTS) == text


# -- the command -------------------------------------------------------------------------------------------------------------


def test_the_command_names_nothing_that_an_upgrade_changes(home: Path) -> None:
    install("claude-code")
    found = json.loads((home / ".claude/settings.json").read_bytes())
    for handler in handlers(found):
        said = [handler["command"], *handler["args"]]
        assert os.path.isabs(said[0]) and os.path.exists(said[0]) and sys.prefix not in said[0]
        assert said[1:4] == ["-I", "-S", str(home / LAUNCHER)] and said[5:] == ["--agent", "claude-code"]
        assert isinstance(handler["timeout"], int)
    tool = found["hooks"]["PostToolUseFailure"][0]
    assert tool["hooks"][0]["async"] is True and "Bash" in tool["matcher"].split("|")


def test_a_shell_reads_the_command_as_it_is_meant(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "my data; $(touch x)"))
    install("codex")
    install("gemini-cli")
    for file in (".codex/hooks.json", ".gemini/settings.json"):
        found = json.loads((home / file).read_bytes())
        for handler in handlers(found):
            assert shlex.split(handler["command"])[3] == str(home / "my data; $(touch x)/evo/hook.py")
            assert installing.is_ours(handler)
    codex = json.loads((home / ".codex/hooks.json").read_bytes())
    assert list(codex) == ["hooks"]  # an unknown key at its top drops the whole file
    assert all("args" not in h and "commandWindows" in h for h in handlers(codex))
    assert all(h["timeout"] >= 1000 for h in handlers(json.loads((home / ".gemini/settings.json").read_bytes())))


def run_hook(home: Path, name: str = "claude-code", **payload: Any) -> subprocess.CompletedProcess[bytes]:
    handler = handlers(json.loads((home / FILES[name][0]).read_bytes()))[0]
    env = {"HOME": str(home), "PATH": os.defpath}
    data = json.dumps({"hook_event_name": "SessionStart", "cwd": str(home / "p"), **payload}).encode()
    return subprocess.run([handler["command"], *handler["args"]], input=data, capture_output=True, env=env, cwd="/")


def test_the_launcher_reaches_evo_without_an_environment(home: Path) -> None:
    install("claude-code")
    done = run_hook(home)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not done.stdout or isinstance(json.loads(done.stdout), dict)


@pytest.mark.parametrize("fault", ["gone", "raise SystemExit(2)", "def (", "raise KeyboardInterrupt"])
def test_a_launcher_that_cannot_reach_evo_is_silent(fault: str, home: Path) -> None:
    install("claude-code")
    file = home / LAUNCHER
    text = file.read_text()
    assert len([line for line in text.split("\n") if line and not line.startswith("#")]) == 3
    package = os.path.dirname(os.path.dirname(installing.replace.__file__))
    other = home / "elsewhere"
    if fault != "gone":
        write(other / "self_improving/doors/hook.py", fault)
    file.write_text(text.replace(repr(package), repr(str(other))))
    done = run_hook(home)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_path_that_settings_cannot_name_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "a\udcff"))
    with pytest.raises(Failure, match="no UTF-8"):
        install("claude-code")


def test_install_writes_the_launcher_anew(home: Path) -> None:
    install("claude-code")
    file = write(home / LAUNCHER, "stale")
    assert [f["changed"] for f in install("claude-code").data["files"]] == [True, False, False]
    assert b"self_improving.doors.hook" in file.read_bytes()


@pytest.mark.parametrize(
    ("handler", "ours"),
    [
        ({"command": "evo", "args": ["hook", "prompt"]}, True),
        ({"command": "evo hook session-start --agent codex"}, True),
        ({"command": "/usr/local/bin/evo hook prompt"}, True),
        ({"command": "evo.exe", "args": ["hook", "prompt"]}, True),
        ({"command": "python3 -m self_improving hook prompt"}, True),
        ({"command": "/usr/bin/python3", "args": ["-I", "-S", "/old/share/evo/hook.py", "prompt", "--agent", "x"]}, True),
        ({"bash": "'/a b/python3' -I -S '/c d/evo/hook.py' prompt --agent copilot"}, True),
        ({"powershell": "& 'C:\\Py thon\\python.exe' '-I' '-S' 'C:\\evo\\hook.py' 'prompt'"}, True),
        ({"commandWindows": '"C:\\Py thon\\python.exe" -I -S C:\\x\\evo\\hook.py prompt --agent codex'}, True),
        ({"command": "evo load"}, False),
        ({"command": "evo hook"}, False),
        ({"command": "evo hook something-else"}, False),
        ({"command": "my-evo hook prompt"}, False),
        ({"command": "log && evo hook prompt"}, False),
        ({"command": "python3 /x/other/hook.py prompt"}, False),
        ({"command": "python3 wrap.py /x/evo/hook.py prompt"}, False),
        ({"command": "python3 '/x/evo/hook.py prompt"}, False),
        ({"command": None, "args": 3}, False),
        ({"command": "", "args": [None]}, False),
        ("evo hook prompt", False),
    ],
)  # fmt: skip
def test_hooks_of_ours_are_known_by_their_shape(handler: Any, ours: bool) -> None:
    assert installing.is_ours(handler) is ours


def test_older_entries_of_ours_give_way_and_leave_no_second(home: Path) -> None:
    old = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "evo hook turn-end"}]}],
                     "Gone": [{"hooks": [{"command": "evo hook prompt"}, {"command": "x"}]}]}}  # fmt: skip
    file = write(home / ".claude/settings.json", json.dumps(old, indent=2))
    install("claude-code")
    found = json.loads(file.read_bytes())
    assert len(found["hooks"]["Stop"]) == 1 and found["hooks"]["Gone"] == [{"hooks": [{"command": "x"}]}]
    uninstall("claude-code")
    assert json.loads(file.read_bytes()) == {"hooks": {"Gone": [{"hooks": [{"command": "x"}]}]}}


def test_the_launcher_stays_until_the_last_agent_goes(home: Path) -> None:
    install("claude-code")
    install("opencode")
    uninstall("claude-code")
    assert (home / LAUNCHER).exists()
    uninstall("opencode")
    assert not (home / ".local/share/evo").exists()


# -- what is refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("claude-code", '{\n  // mine\n  "model": "x"\n}', 2),
        ("claude-code", '{\n  "model": "x",\n}', 2),
        ("claude-code", '{\n  "hooks": []\n}', 2),
        ("claude-code", '{"a": 1,\n"a": 2}', 2),
        ("codex", "[]", 1),
        ("codex", "{", 1),
        ("gemini-cli", '{"hooks": {\n"BeforeAgent": {}}}', 2),
        ("cursor", "\n\nnope", 3),
    ],
)  # fmt: skip
def test_settings_that_are_not_as_they_should_be_are_left_alone(name: str, text: str, line: int, home: Path) -> None:
    file = write(home / FILES[name][0], text)
    before = tree(home)
    with pytest.raises(Failure) as refused:
        install(name)
    assert (refused.value.code, refused.value.file, refused.value.line) == (3, str(file), line)
    assert tree(home) == before and not (home / "self-improving").exists()


def test_settings_with_comments_are_edited_where_the_agent_takes_them(home: Path) -> None:
    text = '{\n  // mine\n  "theme": "x" /* nice */\n}\n'
    file = write(home / ".gemini/settings.json", text)
    install("gemini-cli")
    assert b"// mine" in file.read_bytes() and b"/* nice */" in file.read_bytes()
    uninstall("gemini-cli")
    assert file.read_text() == text


def test_bytes_that_are_no_text_are_refused(home: Path) -> None:
    write(home / ".claude/settings.json", b'{"a": "\xff"}')
    with pytest.raises(Failure, match="not UTF-8 at byte 8") as refused:
        install("claude-code")
    assert refused.value.code == 3


@pytest.mark.parametrize("text", [b"", b"\n", b"\xef\xbb\xbf", b"  \r\n"])
def test_an_empty_file_is_empty_again(text: bytes, home: Path) -> None:
    file = write(home / ".claude/settings.json", text)
    install("claude-code")
    assert json.loads(file.read_bytes())["hooks"]
    uninstall("claude-code")
    assert file.read_bytes() == text


def test_an_agent_nobody_knows_is_refused_with_the_names_of_those_that_are(home: Path) -> None:
    for verb in (install, uninstall):
        for name in ("svn", "claude", "event", ""):
            with pytest.raises(Failure, match="evo knows claude-code, codex, copilot") as refused:
                verb(name)
            assert refused.value.code == 2


@pytest.mark.parametrize("name", [n for n in NAMES if n != "claude-code"])
def test_project_scope_is_refused_where_the_file_would_be_shared(name: str, home: Path) -> None:
    before = tree(home)
    with pytest.raises(Failure, match="--scope user") as refused:
        install(name, scope="project")
    assert refused.value.code == 2 and tree(home) == before


def test_a_file_that_is_saved_meanwhile_is_the_savers(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(home / ".claude/settings.json", "{}")
    prepare = replace.prepare

    def slow(goal: replace.Target, data: bytes, name: str) -> str:
        made = prepare(goal, data, name)
        if goal.real == str(file):
            file.write_text('{"theirs": 1}')
        return made

    monkeypatch.setattr(replace, "prepare", slow)
    with pytest.raises(Failure, match="run it again") as refused:
        install("claude-code")
    assert refused.value.code == 3 and file.read_text() == '{"theirs": 1}'
    assert not [p for p in home.rglob("*") if p.name.startswith(replace.TEMP)]
    monkeypatch.undo()


# -- links, modes, other folders ------------------------------------------------------------------------------------------------


def test_a_link_stays_a_link_and_a_mode_a_mode(home: Path) -> None:
    real = write(home / "dotfiles/claude.json", '{"a": 1}')
    real.chmod(0o640)
    (home / ".claude").mkdir()
    link = home / ".claude/settings.json"
    link.symlink_to("../dotfiles/claude.json")
    install("claude-code")
    assert link.is_symlink() and "hooks" in json.loads(real.read_bytes()) and real.stat().st_mode & 0o777 == 0o640
    uninstall("claude-code")
    assert link.is_symlink() and real.read_text() == '{"a": 1}' and real.stat().st_mode & 0o777 == 0o640


def test_a_link_into_nowhere_is_not_followed(home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").symlink_to(home / "gone/settings.json")
    with pytest.raises(Failure, match="does not exist") as refused:
        install("claude-code")
    assert refused.value.code == 3 and not (home / "gone").exists() and not (home / "self-improving").exists()


def test_a_file_marked_read_only_is_left_alone(home: Path) -> None:
    write(home / ".claude/settings.json", "{}").chmod(0o444)
    with pytest.raises(Failure, match="read-only"):
        install("claude-code")


@pytest.mark.parametrize(
    ("name", "variable", "value", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "c", "c/settings.json"),
        ("codex", "CODEX_HOME", "c", "c/hooks.json"),
        ("copilot", "COPILOT_HOME", "c", "c/hooks/evo.json"),
        ("gemini-cli", "GEMINI_CLI_HOME", "c", "c/.gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "c", "c/opencode/plugins/evo.js"),
        ("claude-code", "XDG_DATA_HOME", "d", "d/evo/hook.py"),
    ],
)  # fmt: skip
def test_folders_that_variables_name_are_used(
    name: str, variable: str, value: str, file: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(home / value))
    install(name)
    assert (home / file).is_file()
    if variable != "XDG_DATA_HOME":
        monkeypatch.delenv(variable)  # it is in the notes where it was written
    uninstall(name)
    assert not (home / file).exists()


# -- what else is written ---------------------------------------------------------------------------------------------------------


def test_rules_hold_no_path_of_this_machine_and_leave_what_stood_there(home: Path) -> None:
    file = home / "p/.cursor/rules/evo-memory.mdc"
    install("cursor")
    text = file.read_text()
    assert text.startswith("---\n") and "alwaysApply: true" in text and "evo load" in text and "evo correct" in text
    assert str(home) not in text and "python" not in text and file.stat().st_mode & 0o777 == 0o644
    uninstall("cursor")
    assert not (home / "p/.cursor").exists()
    write(file, "---\nalwaysApply: true\n---\nmine\n")
    install("cursor")
    assert file.read_text().startswith("---\nalwaysApply: true\n---\nmine\n\n<!-- evo:start -->\n")
    uninstall("cursor")
    assert file.read_text() == "---\nalwaysApply: true\n---\nmine\n"
    write(file, f"{blocks.EVO.start}\n")
    with pytest.raises(Failure) as refused:
        install("cursor")
    assert (refused.value.code, refused.value.line) == (3, 1)


def test_outside_a_project_no_rules_are_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    done = install("windsurf")
    assert not (home / ".windsurf").exists() and any("in each project" in said for said in done.data["next"])


def test_rules_in_another_project_are_named_when_the_agent_goes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("cursor")
    (home / "q/.git").mkdir(parents=True)
    monkeypatch.chdir(home / "q")
    said = uninstall("cursor").data["next"]
    assert any(str(home / "p/.cursor/rules/evo-memory.mdc") in one for one in said)
    assert (home / LAUNCHER).exists()
    monkeypatch.chdir(home / "p")
    uninstall("cursor")
    assert not (home / "p/.cursor").exists() and not (home / LAUNCHER).exists()


def test_a_skill_that_somebody_edited_is_theirs(home: Path) -> None:
    file = write(home / ".claude/skills/evo/SKILL.md", "mine")
    done = install("claude-code")
    assert file.read_text() == "mine" and done.data["files"][-1]["changed"] is False
    uninstall("claude-code")
    assert file.read_text() == "mine"
    file.unlink()
    install("claude-code")
    file.write_bytes(file.read_bytes() + b"\nand mine\n")
    uninstall("claude-code")
    assert file.read_bytes().endswith(b"and mine\n")


def test_a_skill_of_an_older_evo_is_written_anew(home: Path) -> None:
    install("claude-code")
    file = write(home / ".claude/skills/evo/SKILL.md", "older")
    notes = home / ".local/share/evo/installed.json"
    found = json.loads(notes.read_bytes())
    for row in found["installed"]:
        if row["kind"] == "file":
            row["sha"] = replace.sha(b"older")
    notes.write_text(json.dumps(found))
    install("claude-code")
    assert file.read_text() != "older"


@pytest.mark.parametrize("notes", ["", "[]", '{"installed": [1, {"agent": 2}]}', '{"installed": 3}', "\xff"])
def test_notes_that_are_lost_do_not_stand_in_the_way(notes: str, home: Path) -> None:
    write(home / ".claude/settings.json", '{"a": 1}')
    install("claude-code")
    install("copilot")
    (home / ".local/share/evo/installed.json").write_bytes(notes.encode("latin-1"))
    uninstall("claude-code")
    uninstall("copilot")
    assert json.loads((home / ".claude/settings.json").read_bytes()) == {"a": 1}
    assert not (home / ".copilot/hooks/evo.json").exists()


def test_a_store_that_is_there_is_left_as_it_is_and_a_named_one_is_used(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / "self-improving/corrections.md", "mine")
    assert install("claude-code").data["store"] == str(home / "self-improving")
    assert [p.name for p in (home / "self-improving").iterdir()] == ["corrections.md"]
    monkeypatch.setenv("EVO_ROOT", str(home / "named"))
    done = install("codex")
    assert done.data["store"] == str(home / "named") and (home / "named/memory.md").is_file()
    assert any("EVO_ROOT" in said for said in done.data["next"])
    assert str(home / "named") not in (home / ".codex/hooks.json").read_text() + (home / LAUNCHER).read_text()


def test_hooks_that_are_switched_off_are_pointed_out(home: Path) -> None:
    write(home / ".claude/settings.json", '{"disableAllHooks": true}')
    assert any("disableAllHooks" in said for said in install("claude-code").data["next"])


# -- a project's own file ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(home: Path) -> Path:
    shutil.rmtree(home / "p/.git")
    subprocess.run(["git", "init", "-q", str(home / "p")], check=True)
    return home / "p"


def test_project_scope_writes_the_private_file_and_says_when_git_would_take_it(repository: Path, home: Path) -> None:
    done = install("claude-code", scope="project")
    file = repository / ".claude/settings.local.json"
    assert len(handlers(json.loads(file.read_bytes()))) == 7
    assert done.data["store"] == str(repository / "self-improving") and (repository / "self-improving").is_dir()
    assert any("not ignored by git" in said for said in done.data["next"])
    assert not (home / ".claude").exists()
    (repository / ".gitignore").write_text(".claude/settings.local.json\n")
    assert not any("ignored" in said for said in install("claude-code", scope="project").data["next"])
    install("claude-code")
    uninstall("claude-code", scope="project")
    assert not (repository / ".claude").exists() and (home / ".claude/settings.json").exists()
    install("claude-code", scope="project")
    uninstall("claude-code")  # both
    assert not file.exists() and not (home / ".claude").exists() and not (home / LAUNCHER).exists()


def test_a_project_file_that_git_has_is_not_given_a_path_of_this_machine(repository: Path) -> None:
    file = write(repository / ".claude/settings.local.json", "{}")
    subprocess.run(["git", "-C", str(repository), "add", "-f", str(file)], check=True)
    with pytest.raises(Failure, match="shared through git") as refused:
        install("claude-code", scope="project")
    assert refused.value.code == 3 and file.read_text() == "{}"


# -- on the command line, and inside the agents ---------------------------------------------------------------------------------------


def test_both_faces(evo: Callable[..., Any], home: Path) -> None:
    found = evo(None, "install", "claude-code", "--json")
    data = json.loads(found.out)
    assert found.code == 0 and data["version"] == 1 and data["agent"] == "claude-code" and data["scope"] == "user"
    assert {"path": str(home / ".claude/settings.json"), "changed": True} in data["files"] and "diff" not in data
    assert "/hooks" in evo(None, "install", "codex").out
    assert evo(None, "install", "codex").out.startswith("everything is in place already\n")
    shown = evo(None, "uninstall", "codex", "--dry-run")
    assert "--- " in shown.out and shown.out.endswith("nothing written\n") and (home / ".codex/hooks.json").exists()
    assert json.loads(evo(None, "uninstall", "codex", "--dry-run", "--json").out)["diff"].startswith("--- ")
    assert evo(None, "uninstall", "codex").code == 0
    assert evo(None, "uninstall", "codex").out == "nothing of evo was there\n"
    refused = evo(None, "install", "svn", "--json")
    assert refused.code == 2 and json.loads(refused.out)["error"]["code"] == 2
    write(home / ".codex/hooks.json", "{\n,")
    broken = evo(None, "install", "codex")
    assert broken.code == 3 and broken.err.startswith(f"{home / '.codex/hooks.json'}:2: ")


def test_the_plugin_says_what_the_settings_would() -> None:
    folder = templates.folder() / "agents"
    plugin = folder / "claude-plugin"
    said = json.loads((plugin / "hooks/hooks.json").read_bytes())["hooks"]
    host = hosts.named("claude-code")
    assert said == {h[0]: [host.entry(h, ["evo", "hook", h[1], "--agent", "claude-code"])] for h in host.HOOKS}
    skill = (folder / "skill/SKILL.md").read_bytes()
    assert (plugin / "skills/evo/SKILL.md").read_bytes() == skill
    assert len(skill.split(b"---\n")[1]) < 1000
    assert json.loads((plugin / ".claude-plugin/plugin.json").read_bytes())["name"] == "evo"


SCRIPT = """
const [file, log] = process.argv.slice(2)
const { Evo } = await import(file)
const client = { session: { messages: async () => ({ data: [
  { info: { role: "assistant" }, parts: [{ type: "text", text: "Done." }] }] }) } }
const hooks = await Evo({ directory: "/p", client })
await hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts: [{ type: "text", text: "no" }, { type: "file" }] })
const output = { output: "gone", metadata: { exit: 2 } }
await hooks["tool.execute.after"]({ sessionID: "s", tool: "bash", args: { command: "x" } }, output)
const system = { system: [] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, system)
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system: [] })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "t", parentID: "s" } } } })
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "t" } } })
await hooks.event({})
console.log(JSON.stringify([output.output, system.system]))
"""


def test_the_opencode_plugin_says_and_hands_on(home: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here")
    install("opencode")
    log = tmp_path / "log"
    stub = f"import sys, json\nopen({str(log)!r}, 'a').write(sys.argv[1] + ' ' + sys.stdin.read() + '\\n')\n"
    write(home / LAUNCHER, stub + "print(json.dumps({'additionalContext': sys.argv[1]}))\n")
    plugin = tmp_path / "evo.mjs"
    shutil.copy(home / FILES["opencode"][0], plugin)
    (tmp_path / "run.mjs").write_text(SCRIPT)
    done = subprocess.run([node, str(tmp_path / "run.mjs"), str(plugin), str(log)], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["gone\n\ntool-result", ["session-start", "prompt"]]
    said = [line.split(" ", 1) for line in log.read_text().split("\n") if line]
    assert [kind for kind, _ in said] == ["prompt", "tool-result", "session-start", "turn-end"]
    host = hosts.named("opencode")
    prompt, tool, start, end = (host.event(kind, json.loads(payload)) for kind, payload in said)
    assert (prompt.text, prompt.session, prompt.cwd, prompt.prompt_id) == ("no", "s", "/p", "m")
    assert (tool.failed, tool.tool, tool.tool_input) == (True, "bash", {"command": "x"})
    assert start.kind == "session-start" and (end.reply, end.inner) == ("Done.", True)


def test_files_inside_agents_call_the_launcher(home: Path) -> None:
    for name, file in (("opencode", FILES["opencode"][0]), ("openclaw", FILES["openclaw"][1])):
        install(name)
        text = (home / file).read_text()
        run = json.loads(text.split("RUN", 1)[1].split("= ", 1)[1].split("\n", 1)[0].rstrip(";"))
        assert run[1:] == ["-I", "-S", str(home / LAUNCHER)] and os.path.isabs(run[0])
        assert f'"--agent", "{name}"' in text
        write(home / file, text + "// older\n")  # ours all the same, by its first line
        assert install(name).data["files"][-1]["changed"]
