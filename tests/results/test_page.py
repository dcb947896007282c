# SPDX-License-Identifier: GPL-3.0-or-later
"""The page in a real browser: renders, sorts, filters, opens, at each width, without an error.

ASMSWEEP_PICTURES=FOLDER keeps screenshots to look at.
"""

import os
import re

import browser
import pytest
from programs import ROOT, call
from synthetic import columns, loop, petition, write_csv, write_run

pytestmark = pytest.mark.skipif(bool(browser.missing()), reason=f"{browser.missing()} missing: "
                                "./asmsweep setup --tests")
REASON = "iopl: ENOSYS <b>&amp;"


def _loops():
    loops = petition()
    for k in (1, 4, 16):
        loops.append(loop(f"chain-{k}", f"{k}*imul", 3.0 * k, family="chain",
                          parameters=f"op=imul;links={k}"))
    loops.append(loop("gone", "16*bswap", None, status="refused", detail=REASON, family="gone",
                      group="bswap %rbx", groups="16"))
    return loops


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A page made of one run with samples and sources."""
    folder = tmp_path_factory.mktemp("page")
    write_run(folder, _loops())
    os.mkdir(folder / "src")
    (folder / "src" / "pf.s").write_text("# the source </pre><script>alert(1)</script>\n\tpopfq\n")
    write_csv(folder / "samples.csv", columns("samples"), [
        {"variant": "pf", "engine": "perf", "slice": n, "n_loop": 100, "loop_n": 1000 + n % 7,
         "loop_2n": 2000 + n % 11} for n in range(500)])
    program = os.environ.get("ASMSWEEP_RESULTS",
                             os.path.join(ROOT, "build", "programs", "bin", "asmsweep-results"))
    assert call(program, "solve", folder, "--published",
                os.path.join(ROOT, "results", "published")).returncode == 0
    done = call("/usr/bin/python3", "-B", os.path.join(ROOT, "results/tables/main.py"), folder,
                "--format", "html", "--out", folder / "index.html")
    assert done.returncode == 0, done.stderr
    return folder / "index.html"


@pytest.fixture(scope="module")
def chromium():
    with browser.Browser() as made:
        yield made


@pytest.fixture
def page(chromium, path):
    chromium.open(path)
    chromium.errors()
    chromium.open(path)
    yield chromium
    assert chromium.errors() == []


SHOWN = "return [...document.querySelectorAll('#costs tbody tr')].filter(r => !r.hidden)"


def shown(page):
    return page.run(SHOWN + ".map(r => r.cells[1].textContent)")


def numbers(page, column):
    return page.run(SHOWN + ".map(r => r.cells[arguments[0]].dataset.number)", column)


def test_the_page_needs_no_network(path):
    text = path.read_text()
    assert not re.search(r"""(src|href)=["'](https?:)?//""", text)
    assert "default-src 'none'" in text


def test_it_renders_the_known_costs(page):
    text = page.run("return document.getElementById('costs').innerText")
    assert re.search(r"116\.3 \[115\.9,116\.6\]", text)
    assert "21.7 [20.6,22.9]" in text
    assert page.run("return document.querySelectorAll('#costs tbody tr').length") > 20


def test_a_missing_value_is_a_status_and_never_a_number(page):
    cell = page.run(SHOWN + ".find(r => r.cells[1].textContent.startsWith('bswap'))"
                    ".cells[3].innerText")
    assert re.fullmatch(r"refused \(\d+\)", cell.strip())
    assert REASON in page.run("return document.body.textContent")


def test_a_click_sorts_and_a_second_one_reverses_with_missing_values_last(page):
    page.click("#costs thead th:nth-child(4) button")
    up = [float(n) for n in numbers(page, 3) if n]
    assert up == sorted(up) and len(up) > 10
    assert numbers(page, 3)[-1] == ""
    page.click("#costs thead th:nth-child(4) button")
    down = [float(n) for n in numbers(page, 3) if n]
    assert down == sorted(up, reverse=True)
    assert numbers(page, 3)[-1] == ""
    assert page.run("return document.querySelector('#costs thead th:nth-child(4)')"
                    ".getAttribute('aria-sort')") == "descending"


def test_words_filter_and_escape_brings_all_back(page):
    everything = shown(page)
    page.keys("/")
    page.keys("df changes")
    assert shown(page) == ["IF 1->1, DF changes"]
    assert page.run("return document.getElementById('shown').textContent") == \
        f"1 of {len(everything)} rows"
    page.keys("Escape")
    assert shown(page) == everything


def test_a_question_and_values_only_can_be_chosen(page):
    page.run("const s = document.getElementById('section'); s.value = 'Save by PUSHF';"
             "s.dispatchEvent(new Event('input'))")
    assert shown(page) == ["pushfq; pop %rbx"]
    page.run("const s = document.getElementById('section'); s.value = '';"
             "s.dispatchEvent(new Event('input'))")
    page.click("#valued")
    assert not any(label.startswith("bswap") for label in shown(page))


def test_a_heading_sorts_from_the_keyboard(page):
    page.run("document.querySelector('#costs thead th:nth-child(2) button').focus()")
    page.keys("Enter")
    labels = [label.lower() for label in shown(page)]
    assert labels == sorted(labels)


def test_a_rows_link_opens_its_loop_with_assembly_samples_and_command(page):
    href = page.run("return [...document.querySelectorAll('#costs a')]"
                    ".find(a => a.textContent === 'pf').getAttribute('href')")
    page.run("location.hash = arguments[0]", href)
    text = page.run("return new Promise(done => setTimeout(() => { const d = document."
                    "getElementById(arguments[0]); done(d.open ? d.textContent : 'closed') }, 50))",
                    href[1:])
    assert "500 slices" in text and "popfq" in text
    assert "./asmsweep run popf_if --only pf" in text
    assert "</pre><script>alert(1)</script>" in text  # shown, not run


def test_plots_are_drawn(page):
    kinds = page.run("return [...document.querySelectorAll('figure')].map(f => f.className)")
    assert {"map", "ratio", "length"} <= set(kinds)
    assert "IF 1->1, DF changes" in page.run("return document.querySelector('.map').textContent")
    assert page.run("return [...document.querySelectorAll('figure svg')]"
                    ".every(s => s.getBoundingClientRect().height > 50)")
    names = page.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name, width, dark", [
    ("desktop", 1280, False), ("desktop-dark", 1280, True), ("phone", 390, False),
    ("phone-dark", 390, True)])
def test_nothing_is_wider_than_the_window_and_colours_follow(path, name, width, dark):
    with browser.Browser(width, 1000, dark) as page:
        page.open(path)
        # A question as long as popf_if's longest once pushed the page off a phone.
        page.run("document.querySelector('#section').add(new Option('w'.repeat(70)))")
        # Not innerWidth: on a phone that grows with what is too wide.
        assert page.run("return document.documentElement.scrollWidth") <= width
        paper = page.run("return getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(20, 23, 27)" if dark else "rgb(255, 255, 255)")
        ink = page.run("return getComputedStyle(document.querySelector("
                       "'.plot [fill=black]')).fill")
        assert ink == ("rgb(230, 233, 236)" if dark else "rgb(28, 32, 36)")
        if width < 500:
            assert page.run("return getComputedStyle(document.querySelector('#costs tr td'))"
                            ".display") == "block"
        if os.environ.get("ASMSWEEP_PICTURES"):
            page.picture(os.path.join(os.environ["ASMSWEEP_PICTURES"], f"{name}.png"))
        assert page.errors() == []
