"""From a role file to a role: access comes from the class, a file can only narrow.

Covers: B5, B8, H6
"""

from __future__ import annotations

import pytest

from sparing.errors import ConfigError
from sparing.prompts.render import names
from sparing.roles.load import Role, RoleClass, parse_foreign, parse_role, shipped

AGENT = "---\nname: {name}\ndescription: Looks hard.\n{more}---\nLook hard.\n"


def agent(name: str = "spec-reviewer", more: str = "", *, users: bool = False) -> Role:
    return parse_foreign(AGENT.format(name=name, more=more), "x.md", "stem", users=users)


@pytest.mark.parametrize("name", names("roles"))
def test_every_role_that_ships_is_read_without_a_warning(name: str) -> None:
    role = shipped(name)
    assert (role.name, role.warnings, role.origin) == (name, (), "shipped")
    assert set(role.tools) <= role.role_class.tools
    assert role.text.startswith("# Your role: ")


def test_an_unknown_role_is_said_with_those_there_are() -> None:
    with pytest.raises(ConfigError) as error:
        shipped("no-such")
    assert "spec-reviewer" in error.value.repair


def test_only_authors_write() -> None:
    """H6: whatever a file says."""
    assert [one for one in RoleClass if "write" in one.tools or "run" in one.tools] == [
        RoleClass.AUTHOR
    ]
    assert "web" not in RoleClass.REVIEWER.tools | RoleClass.AUTHOR.tools


def test_a_file_of_another_tool_is_laid_over_the_role_that_ships() -> None:
    role, base = agent(more="tools: Read, Grep, Glob\nmodel: sonnet\n"), shipped("spec-reviewer")
    assert role.text == "# Your role: spec-reviewer\n\nLook hard.\n"
    assert (role.tools, role.model, role.purpose) == (
        ("read", "search"),
        "standard",
        "Looks hard.",
    )
    assert (role.artifacts, role.categories) == (base.artifacts, base.categories)
    assert role.warnings == ()


@pytest.mark.parametrize("users", [True, False])
def test_a_file_gives_no_access(users: bool) -> None:
    """B5: neither by tools nor by class; what it asked for in vain is told."""
    role = agent(
        more="tools: Read, Edit, Bash, WebFetch\nmodel: opus\nclass: author\n", users=users
    )
    assert (role.role_class, role.tools) == (RoleClass.REVIEWER, ("read",))
    told = "\n".join(role.warnings)
    for word in ("write", "run", "web", "class stays reviewer"):
        assert word in told


def test_a_file_can_narrow_and_is_told_what_that_costs() -> None:
    """B5: other tools are another trunk key."""
    role = agent("code-simplifier", "tools: Read\nmodel: haiku\n")
    assert (role.tools, role.model) == (("read",), "cheap")
    assert "can't share their cached prompt" in role.warnings[-1]


def test_an_author_s_file_can_not_have_what_the_role_has_not() -> None:
    """The spec-author may not run programs, though authors may."""
    role = agent("spec-author", "tools: Read, Grep, Write, Bash\nmodel: opus\n")
    assert role.tools == ("read", "search", "write")
    assert "it may not have run" in role.warnings[0]


def test_without_tools_or_model_it_warns() -> None:
    """B5"""
    role = agent()
    assert role.warnings == ("it states no tools: as shipped", "it states no model: as shipped")
    assert (role.tools, role.model) == (("read", "search"), "strong")


def test_a_role_only_a_repository_knows_reads_and_searches() -> None:
    """Whatever class and tools it claims."""
    role = agent("helper", "tools: Read, Write, WebFetch\nclass: author\nmodel: opus\n")
    assert (role.role_class, role.tools) == (RoleClass.RESEARCHER, ("read",))


def test_a_role_of_the_user_s_own_has_the_class_it_states() -> None:
    role = agent("helper", "tools: Read, Write, WebFetch\nclass: author\nmodel: opus\n", users=True)
    assert (role.role_class, role.tools) == (RoleClass.AUTHOR, ("read", "write"))


def test_a_model_nobody_knows_is_the_standard_one() -> None:
    role = agent(more="tools: Read, Grep\nmodel: gpt-99\n")
    assert role.model == "standard"
    assert role.warnings == ("there is no model class 'gpt-99': standard",)


def test_a_file_of_ours_may_leave_out_what_ships() -> None:
    source = '+++\ntools = ["read", "search"]\nmodel = "cheap"\n+++\n# Your role: mine\nRead.\n'
    role = parse_foreign(source, "security-reviewer.md", "security-reviewer", users=True)
    assert (role.name, role.model, role.warnings) == ("security-reviewer", "cheap", ())
    assert role.text == "# Your role: mine\nRead.\n"


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("+++\nname = 3\n+++\nx", "no usable name"),
        ('+++\nname = "a/../b"\n+++\nx', "no usable name"),
        ('+++\nname = "spec-reviewer"\n+++\n \n', "has no text"),
        ('+++\nname = "spec-reviewer"\ntools = ["search"]\n+++\nx', "no tool `read`"),
        ('+++\nname = "spec-reviewer"\ncolour = "red"\n+++\nx', "wrong at colour"),
        ('+++\nname = "spec-reviewer"\nartifacts = ["secrets"]\n+++\nx', "wrong at artifacts"),
    ],
)
def test_what_can_not_be_used_is_said(source: str, what: str) -> None:
    """B5: a role that is given references must be able to read them."""
    with pytest.raises(ConfigError, match=what):
        parse_foreign(source, "x.md", "x", users=True)


def test_a_role_that_ships_says_all_of_itself() -> None:
    with pytest.raises(ConfigError, match="tools"):
        parse_role('+++\nname = "a"\nclass = "author"\npurpose = "p"\nmodel = "m"\n+++\nx', "a")
