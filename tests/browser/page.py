"""The page shows what is so, as it happens, to everybody."""

import re
import signal
import time

import agent
import case
import lab as lab_module
from case import equal, exits, true
from monitor import Monitor, announce, links, look, node_text, page, pair_of, wait_look


@case.alone
def test_a_pairing_made_while_it_is_open_appears_within_a_second(lab):
    enc, dec = pair_of(lab)
    with page(Monitor(lab)) as seen:
        wait_look(seen, "enc", "active")
        wait_look(seen, "dec", "idle")
        equal(links(seen), [], "links before")
        seen.run("""new MutationObserver((changes, observer) => {
            if (document.querySelector('.link[data-look=active]')) {
                window.appeared = Date.now() / 1000; observer.disconnect(); } })
            .observe(document.getElementById('links'), {childList: true, subtree: true})""")
        case.pair(dec, "dec", "enc")
        paired = time.time()
        appeared = seen.wait("the link", lambda: seen.run("return window.appeared"))
        print(f"{max(0, appeared - paired):.3f} s after the pairing was active")
        case.within(appeared - paired, 1, "the link appears")
        wait_look(seen, "dec", "active")
        seen.wait("the operation", lambda: any(
            "pair" in text and "active" in text for text in seen.texts("#operations li")))
        exits(dec.yoke("unpair", "dec", "--wait", "idle"), 0, "unpair")
        seen.wait("no link", lambda: links(seen) == [])
    enc.stop()


def test_states_change_with_their_reasons(lab):
    enc, dec = pair_of(lab, driver={"type": "igmp", "interface": "eth0", "command": ["false"]})
    with page(Monitor(lab)) as seen:
        case.pair(dec, "dec", "enc", wait="applied")
        seen.wait("the error", lambda: "error" in links(seen))
        seen.wait("why", lambda: re.search(r"Lobby screen\s+error: .*false", seen.text("#attention") or ""))
        enc.kill()
        wait_look(seen, "enc", "lost")
        seen.wait("since when", lambda: re.search(r"lost\s*last heard \d+ s ago, was active",
                                                  node_text(seen, "enc")))
        enc.start()
        wait_look(seen, "enc", "active")
        equal(dec.stop(), 0, "an orderly end")
        wait_look(seen, "dec", "gone")
        equal(links(seen), ["gone"], "the link")
        true("gone: said goodbye" in seen.text("#events"), seen.text("#events"))
        seen.wait("what was read out", lambda: seen.run(
            "return document.getElementById('said').textContent").startswith("Lobby screen: "))


def test_operations_that_went_wrong_and_drops_are_shown(lab):
    _, dec = pair_of(lab)
    case.encoder(lab, "kvm", kind="usb", media={"host": "10.0.0.1", "port": 3240, "busids": ["1-1"]})
    dec.wait_hears("kvm")
    with page(Monitor(lab)) as seen:
        exits(dec.yoke("pair", "dec", "kvm"), 1, "another kind")
        exits(dec.yoke("pair", "nobody", "enc", "--timeout", "1"), 69, "nobody there")
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        for _ in range(3):
            rogue.send_raw(b"junk")
        seen.wait("both", lambda: [t.split()[-1] for t in seen.texts("#operations .outcome")]
                  == ["unanswered", "refused"])
        text = seen.text("#operations")
        true("nobody" in text and "kind-mismatch" in text and "by cli-" in text, text)
        seen.wait("the drops", lambda: any(re.match(r"malformed\s+3\b", text)
                                           for text in seen.texts("#drops li")))


def test_it_says_since_when_the_stream_is_lost_and_comes_back(lab):
    watch = Monitor(lab)
    enc = case.encoder(lab)
    with page(watch, quiet=False) as seen:
        wait_look(seen, "enc", "active")
        equal(seen.text("#lost"), None, "the bar is not there")
        watch.process.signal(signal.SIGSTOP)
        stopped = time.time()
        seen.wait("the loss", lambda: seen.text("#stream-word") == "Stream lost")
        text = seen.text("#lost")
        said = re.search(r"lost since (\d\d):(\d\d):(\d\d)", text)
        then = time.localtime(stopped)
        passed = int(said[1]) * 3600 + int(said[2]) * 60 + int(said[3]) - (
            then.tm_hour * 3600 + then.tm_min * 60 + then.tm_sec)
        true(abs((passed + 43200) % 86400 - 43200) <= 3, f"stopped at {then}: {text}")
        watch.process.signal(signal.SIGCONT)
        seen.wait("that it is back", lambda: seen.text("#stream-word") == "Live")
        equal(seen.text("#lost"), None, "the bar is gone")
        seen.run("""window.readOut = [];  // what comes next is read out soon, and then this is gone
            const said = document.getElementById('said');
            new MutationObserver(() => window.readOut.push(said.textContent)).observe(said, {childList: true});""")
        watch.process.kill()
        seen.wait("the loss", lambda: seen.text("#stream-word") == "Stream lost")
        case.encoder(lab, "enc-2")
        watch.start()  # another life: its events are numbered anew
        seen.wait("that it is back", lambda: seen.text("#stream-word") == "Live")
        wait_look(seen, "enc-2", "active")
        wait_look(seen, "enc", "active")
        seen.wait("what was read out", lambda: "The stream is back after" in seen.run(
            "return window.readOut.join()"))
        enc.stop()
        wait_look(seen, "enc", "gone")


def focused(seen):
    return seen.run("const e = document.activeElement; return e.dataset.id || e.id || e.tagName")


def test_everything_is_reached_by_keyboard(lab):
    _, dec = pair_of(lab)
    case.pair(dec, "dec", "enc")
    case.encoder(lab, "loose")
    with page(Monitor(lab)) as seen:
        for node in ("enc", "dec", "loose"):
            wait_look(seen, node, "active")
        order = []
        for _ in range(12):
            seen.keys("Tab")
            order.append(focused(seen))
        true({"find", "only", "events"} <= set(order), f"tab order: {order}")
        # Which one it is depends on who was heard first.
        nodes = {"enc", "dec", "loose"} & set(order)
        equal(len(nodes), 1, f"one node is in the tab order: {order}")
        while focused(seen) not in nodes:
            seen.keys("Tab")
        seen.keys("Home")
        equal(focused(seen), "enc", "the first of them")
        true(seen.run("const s = getComputedStyle(document.activeElement);"
                      "return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2"),
             "the focus is seen")
        for key, wanted in (("Right", "dec"), ("Left", "enc"), ("Down", "loose"), ("Home", "enc"),
                            ("End", "loose"), ("Up", "enc"), ("Right", "dec")):
            seen.keys(key)
            equal(focused(seen), wanted, f"after {key}")
        seen.keys("Enter")
        seen.wait("the details", lambda: seen.text("#details-title") == "Lobby screen")
        true(re.search(r"Paired with\s+Lobby player", seen.text("#details")), seen.text("#details"))
        equal(seen.run("return document.activeElement.getAttribute('aria-pressed')"), "true", "pressed")
        seen.keys("Escape")
        equal((seen.text("#details"), focused(seen)), (None, "dec"), "closed, and the focus is back")
        seen.run("document.getElementById('find').focus()")
        seen.keys("LOBBY")
        seen.wait("those alone", lambda: look(seen, "loose") is None and look(seen, "enc"))
        true("2 of 3 nodes" in seen.text("#left-out"), seen.text("#left-out"))


def test_the_keyboard_stays_where_it_is_while_rows_come_and_go(lab):
    with page(Monitor(lab)) as seen:
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        for node_id in ("enc-1", "enc-2", "enc-3"):
            announce(rogue, node_id, state="error", err="no signal")
        seen.wait("all of them", lambda: len(seen.texts("#attention li")) == 3)
        seen.run("document.querySelector('#attention [data-show=enc-2]').focus()")
        announce(rogue, "enc-1")
        seen.wait("that one is well", lambda: len(seen.texts("#attention li")) == 2)
        equal(seen.run("return document.activeElement.dataset.show"), "enc-2", "a row before it went")
        announce(rogue, "enc-0", state="error", err="no signal")
        seen.wait("that another is not", lambda: len(seen.texts("#attention li")) == 3)
        equal(seen.run("return document.activeElement.dataset.show"), "enc-2", "a row before it came")


def test_versions_that_only_differ_to_a_program_are_two_rows(lab):
    with page(Monitor(lab)) as seen:
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        for n in (2**53, 2**53 + 1):
            rogue.send("int", {"op": "unpair", "consumer": "dec", "version": [n, "op-1"]})
        seen.wait("both", lambda: len(seen.texts("#operations li")) >= 2)
        seen.wait("that they are drawn again", lambda: "unanswered" in seen.texts("#operations .outcome"))
        equal(len(seen.texts("#operations li")), 2, "rows")


def test_a_screen_reader_hears_names_and_states(lab):
    pair_of(lab)
    with page(Monitor(lab)) as seen:
        wait_look(seen, "dec", "idle")
        nodes = [node for node in seen.devtools("Accessibility.getFullAXTree")["nodes"]
                 if not node.get("ignored")]
        found = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes}
        names = {name for role, name in found if role == "button"}
        true(any(re.search(r"Lobby screen.*dec.*HDMI.*idle.*not paired", name) for name in names), names)
        for wanted in (("group", "Topology"), ("searchbox", "Find a node by id or name"),
                       ("heading", "Needs attention"), ("heading", "Operations"),
                       ("list", "How links are drawn")):
            true(wanted in found, f"{wanted} is not in {sorted(found)}")
        true(all(name for role, name in found if role in ("button", "link", "searchbox", "checkbox")),
             "everything that can be used has a name")


CONTRASTS = """
    const level = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const luminance = (c) => 0.2126 * level(c[0]) + 0.7152 * level(c[1]) + 0.0722 * level(c[2]);
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const ground = (e) => { for (; e; e = e.parentElement) {
        const c = parse(getComputedStyle(e).backgroundColor);
        if (c.length === 3 || c[3] > 0.99) return c; } return [255, 255, 255]; };
    const poor = [];
    for (const e of document.querySelectorAll('body *')) {
        if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length
            || e.closest('.unseen, .skip, svg')) continue;
        const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(ground(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) poor.push(`${e.tagName}.${e.className} ${e.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
    }
    return poor;"""


def test_it_can_be_read_in_light_and_dark(lab):
    pair_of(lab)
    with page(Monitor(lab)) as seen:
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        announce(rogue, "broken", state="error", err="no signal")
        announce(rogue, "waiting", state="pending")
        wait_look(seen, "broken", "error")
        grounds = {}
        for scheme in ("light", "dark"):
            seen.media(prefers_color_scheme=scheme)
            equal(seen.run(CONTRASTS), [], f"texts of too little contrast, {scheme}")
            grounds[scheme] = sum(map(int, re.findall(r"\d+", seen.run(
                "return getComputedStyle(document.body).backgroundColor"))[:3]))
        true(grounds["dark"] < 150 < 600 < grounds["light"], grounds)


def test_nothing_moves_for_who_wants_it_still(lab):
    _, dec = pair_of(lab)
    case.pair(dec, "dec", "enc")
    with page(Monitor(lab)) as seen:
        seen.wait("the link", lambda: links(seen) == ["active"])
        true(seen.run("return document.getAnimations().length") > 0, "something moves else")
        seen.media(prefers_reduced_motion="reduce")
        equal(seen.run("return document.getAnimations().length"), 0, "animations")


HOSTILE = ("<img src=x onerror=window.pwned=1><script>window.pwned=1</script>",
           "\u202eevil\u2066\u200b\u2028\"'`&lt;\n\r\t\x1b[31m\x7f\x85", "\U0001f4a9" * 64, "a" + "\u0301" * 63,
           "x" * 64, "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 1 2 3")


def test_media_of_any_shape_is_only_text(lab):
    shapeless = {"toString": 1, "valueOf": 1}
    with page(Monitor(lab)) as seen:
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        for number, name in enumerate(("channel", "group", "host", "port", "busids")):
            announce(rogue, f"m-{number}", media={"host": "h", name: [shapeless] if name == "busids" else shapeless})
        announce(rogue, "constructor", media={"__proto__": None, "hasOwnProperty": 1, "constructor": [[]]})
        announce(rogue, "last")
        wait_look(seen, "last", "active")
        for number in range(5):
            true('{"toString":1,"valueOf":1}' in node_text(seen, f"m-{number}"), node_text(seen, f"m-{number}"))


def test_hostile_names_are_only_names(lab):
    with page(Monitor(lab), width=360, height=700) as seen:
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        for number, name in enumerate(HOSTILE):
            announce(rogue, f"n-{number}", name=name[:64], state="error", err=name[:32],
                     media={"group": name[:16]})
            announce(rogue, f"c-{number}", name=name[:64], role="consumer", media=None,
                     pairing={"producer": f"n-{number}", "version": [1, "op-1"]},
                     driver_status={"detail": name[:32]})
            rogue.send("evt", {"event": "driver-error", "detail": {"detail": name}})
        rogue.send("evt", {"event": "constructor", "detail": {}})
        rogue.send("evt", {"event": "operation", "detail": {"outcome": "constructor", "state": "constructor"}})
        wait_look(seen, f"c-{len(HOSTILE) - 1}", "active")
        for number in range(len(HOSTILE)):
            seen.run("document.querySelector(`[data-id='n-${arguments[0]}']`).click()", number)
            seen.wait("the details", lambda n=number: f"n-{n}" in (seen.text("#details") or ""))
            fits(seen)
        seen.wait("the events", lambda: len(seen.texts("#events li")) >= 3 * len(HOSTILE))
        equal(seen.run("return [window.pwned, document.querySelectorAll('body img, body script').length]"),
              [None, 1], "nothing of a name is markup")  # the icon
        text = seen.run("return document.documentElement.textContent + document.title")
        true("<img src=x onerror" in text and "\\u202eevil\\u2066\\u200b\\u2028\"'`&lt;\\n\\r\\t\\x1b[31m" in text,
             "names are shown whole, escaped")
        hidden = re.findall("[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029\x1b\x7f\x85]", text)
        equal(hidden, [], "characters that hide or turn")
        true("\u0301" * 4 in text and "\u0301" * 5 not in text, "marks are not piled up")


def test_what_is_wrong_with_the_key_is_said(lab):
    enc = case.encoder(lab)
    watch = Monitor(lab, key=b"another key\n")
    with page(watch) as seen:
        seen.wait("the note", lambda: "wrong key?" in seen.text("#notes"))
        true("No node was heard yet" in seen.text("#empty"), seen.text("#empty"))
        true(re.match("key [0-9a-f]{8}$", seen.text("#key")), seen.text("#key"))
    watch.process.end()
    watch.key = None
    watch.start()
    with page(watch) as seen:
        seen.wait("the note", lambda: "OPEN" in seen.text("#notes"))
        equal(seen.text("#key"), "OPEN: no key", "beside the title")
    enc.stop()


def fits(seen):
    found = seen.run("return [document.documentElement.scrollWidth, innerWidth]")
    true(found[0] <= found[1], f"the page is {found[0]} wide, the window {found[1]}")


def test_it_fits_a_phone(lab):
    _, dec = pair_of(lab)
    case.pair(dec, "dec", "enc")
    with page(Monitor(lab), width=360, height=640) as seen:
        wait_look(seen, "dec", "active")
        for width in (320, 360, 768, 1280):
            seen.size(width, 640)
            fits(seen)
        seen.size(360, 640)
        seen.click(".node[data-id=dec]")
        seen.wait("the details, in view", lambda: seen.run(
            "const b = document.getElementById('details').getBoundingClientRect();"
            "return b.top < innerHeight && b.bottom > 0"))
        fits(seen)
        equal(seen.run("""const small = [...document.querySelectorAll('.node, #details-close')]
            .map((e) => e.getBoundingClientRect()).filter((b) => b.width < 24 || b.height < 24);
            return small.length"""), 0, "targets too small for a finger")


def test_the_time_line_goes_back_as_far_as_events_are_known(lab):
    with page(Monitor(lab)) as seen:
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        announce(rogue, "enc-1")
        wait_look(seen, "enc-1", "active")
        begins = seen.run("return document.querySelector('#strip .axis').getBBox().x")
        width = seen.run("return document.getElementById('strip').clientWidth")
        true(width / 2 < begins < width, f"nothing was known five minutes ago: {begins} of {width}")
        equal(seen.run("return document.getElementById('events-count').textContent"), "", "all are told")


def test_of_many_nodes_it_says_which_it_leaves_out(lab):
    with page(Monitor(lab)) as seen:
        rogue = case.join(lab, lab.host("py"), "rogue", None)
        for number in range(300):
            bad = number == 299
            announce(rogue, f"enc-{number:03}", state="error" if bad else "active", err="e" if bad else None)
        seen.wait("how many", lambda: "200 of 300 nodes are drawn" in (seen.text("#left-out") or ""))
        true("100 are left out" in seen.text("#left-out"), seen.text("#left-out"))
        equal(seen.run("return document.querySelectorAll('.node').length"), 200, "nodes drawn")
        equal(look(seen, "enc-299"), "error", "what needs attention is drawn")
        equal(look(seen, "enc-250"), None, "one is left out")
        seen.wait("of how many events it tells", lambda: seen.text("#events-count") == "the newest 64")
        seen.run("document.getElementById('find').focus()")
        seen.keys("enc-250")
        seen.wait("the one", lambda: look(seen, "enc-250") == "active")
        start = time.monotonic()
        seen.run("return document.body.offsetHeight")
        case.within(time.monotonic() - start, 1, "drawing")


@case.alone
def test_it_answers_under_a_flood_from_10000_origins(lab):
    watch = Monitor(lab)
    with page(watch) as seen:
        host = lab.host("py")
        flood = host.spawn("flood", [lab_module.BUILD / "tests/flood", "--address", host.address,
                                     "--rate", "50000", "--psk-file", agent.key_file(lab.dir),
                                     "changes", "junk"])
        seen.wait("what is not kept", lambda: any(re.search(r"not kept\s+[1-9]", text)
                                                  for text in seen.texts("#losses .fact")))
        remembered = int(re.search(r"of (\d+) remembered", seen.text("#sums"))[1])
        true(remembered <= 4096 + 1024, f"{remembered} nodes are remembered by the page")
        slowest = 0.0
        for _ in range(5):
            start = time.monotonic()
            seen.run("document.querySelector('.node').click()")
            seen.wait("the details", lambda: seen.text("#details"))
            seen.keys("Escape")
            slowest = max(slowest, time.monotonic() - start)
        flood.end()
        print(f"{flood.log().strip()}; the slowest answer took {slowest:.1f} s, "
              f"drawing {seen.run('return page.cost'):.0f} ms")
        case.within(slowest, 5, "a click")
        seen.wait("that it is live", lambda: seen.text("#stream-word") == "Live")
