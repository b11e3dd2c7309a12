"""Checks the pages of ctl in Chromium, over the browser's debugging pipe. Usage: browser.py CHROMIUM CTL DIRECTORY SCREENSHOTS"""

import base64, json, os, re, select, subprocess, sys, time, urllib.parse

CHROMIUM, CTL, WORK, SHOTS = sys.argv[1:]
KEYS = {"ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33, "Enter": 13, "Escape": 27, "Tab": 9}
wrong = []


class Browser:
    """Commands and events are JSON texts that a zero byte ends, on file descriptors 3 and 4 of the browser."""

    def __init__(self):
        command, self.out = os.pipe()
        self.into, event = os.pipe()
        # The browser reads its descriptor 3 and writes to 4; a shell puts the pipes there, whatever their numbers are here.
        flags = f"--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking --disable-component-update --ignore-certificate-errors --remote-debugging-pipe --user-data-dir={WORK}/profile about:blank"
        self.process = subprocess.Popen(
            ["sh", "-c", f"exec 9<&{command} 8>&{event} 3<&9 4>&8; exec {CHROMIUM} {flags}"],
            pass_fds=(command, event), stderr=open(f"{WORK}/browser.log", "w"))
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        page = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for part in ["Page", "Network", "Runtime", "Accessibility", "Log"]:
            self.ask(part + ".enable")

    def read(self, patience):
        until = time.monotonic() + patience
        while b"\0" not in self.buffer:
            if not select.select([self.into], [], [], max(0, until - time.monotonic()))[0]:
                return None
            self.buffer += os.read(self.into, 1 << 20)
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            got = self.read(60)
            assert got is not None, f"no response to {method}"
            if got.get("id") == self.number:
                assert "error" not in got, (method, got["error"])
                return got["result"]
            self.events.append(got)

    def do(self, script):
        """Returns the value of an expression in the page."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (script, result["exceptionDetails"])
        return result["result"].get("value")

    def until(self, script, patience=15):
        since = time.monotonic()
        while not self.do(script):
            if time.monotonic() - since > patience:
                return False
            time.sleep(0.05)
        return True

    def press(self, key, shift=False):
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else None)
        own = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0, **({"text": text} if text else {})}
        self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **own)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def open(self, url, width=1400, height=900, scheme="light"):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url="about:blank")
        self.events.clear()
        self.ask("Page.navigate", url=url)
        assert self.until("document.readyState === 'complete' && document.getElementById('film') && !document.getElementById('film').hidden"), url

    def requests(self):
        self.do("0")
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        """Returns the exceptions and the messages of the console, such as violations of the content security policy."""
        self.do("0")
        thrown = [e["params"]["exceptionDetails"]["text"] for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        return thrown + [e["params"]["entry"]["text"] for e in self.events if e.get("method") == "Log.entryAdded"]

    def shot(self, name):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        open(f"{SHOTS}/{name}.png", "wb").write(base64.b64decode(data))


def expect(name, found, wanted=True):
    if found != wanted:
        wrong.append(name)
        print(f"WRONG {name}: {found!r}, not {wanted!r}", flush=True)


# The contrast of each visible text against the closest background that is not transparent, as [lowest, where, number of texts].
CONTRAST = """(() => {
  const channels = (colour) => /rgba?\\(([^)]*)\\)/.exec(colour)[1].split(/[ ,/]+/).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((c) => { const s = c / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor, parts = channels(colour);
      if (parts.length < 4 || parts[3] > 0) return colour;
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  let worst = 99, where = '', texts = 0;
  for (const element of document.body.querySelectorAll('*')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length || element.tagName === 'SCRIPT') continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    texts += 1;
    if (contrast < worst) { worst = contrast; where = element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 30); }
  }
  return [worst, where, texts];
})()"""
MOMENT = "document.getElementById('moment').textContent"
SELECTED = "document.querySelector('[aria-selected=true] .name')?.textContent.trim()"
ROWS = "Number(document.getElementById('panel-1').getAttribute('aria-rowcount')) - 1"


def frame(browser):
    return int(re.match(r"(?:Frame|Commit) (\d+) of ", browser.do(MOMENT)).group(1))


def looks(browser, name, scheme, width):
    worst, where, texts = browser.do(CONTRAST)
    expect(f"{name}: texts are measured", texts > 20)
    expect(f"{name}: contrast {worst:.2f} at {where}", worst >= 4.5)
    expect(f"{name}: nothing is wider than the page", browser.do("document.documentElement.scrollWidth <= innerWidth"))
    expect(f"{name}: scheme", browser.do("matchMedia('(prefers-color-scheme: dark)').matches"), scheme == "dark")
    expect(f"{name}: width", browser.do("innerWidth"), width)
    unnamed = [n for n in browser.ask("Accessibility.getFullAXTree")["nodes"] if not n.get("ignored")
               and n["role"]["value"] in {"button", "slider", "searchbox", "combobox", "treegrid", "group", "checkbox", "textbox"} and not n["name"]["value"]]
    expect(f"{name}: controls have names", [n["role"]["value"] for n in unnamed], [])
    browser.shot(name)


def recorded(browser):
    url = f"file://{WORK}/page.html"
    browser.open(url)
    everything = browser.do("JSON.parse(document.getElementById('recording').textContent).frames.length")
    expect("frames", everything > 10)
    expect("it begins with the last frame", frame(browser), everything)
    expect("a reason", browser.do("document.body.textContent.includes('Unschedulable: ')"))
    steps = [("ArrowLeft", everything - 1), ("ArrowRight", everything), ("ArrowRight", everything), ("[", 1), ("ArrowLeft", 1), ("]", everything)]
    for key, wanted in steps:
        browser.press(key)
        expect(f"{key} leads to a frame", frame(browser), wanted)
    browser.press("ArrowLeft", shift=True)
    expect("shift goes a tenth", frame(browser), everything - max(1, everything // 10))
    browser.press("Escape")
    expect("escape returns", frame(browser), everything)
    for button, wanted in [("first", 1), ("on", 2), ("back", 1), ("end", everything)]:
        browser.do(f"document.getElementById('{button}').click()")
        expect(f"button {button}", frame(browser), wanted)
    browser.do("document.activeElement.blur(); document.getElementById('scrubber').value = 3; document.getElementById('scrubber').dispatchEvent(new Event('input'))")
    expect("scrubber", frame(browser), 4)
    browser.do("document.getElementById('speed').value = 250")
    browser.press("[")
    browser.press(" ")
    expect("space plays", browser.do("document.getElementById('play').textContent"), "Pause")
    expect("it has played", browser.until(MOMENT + ".startsWith('Frame 4 ')"))
    browser.press(" ")
    expect("space pauses", browser.do("document.getElementById('play').textContent"), "Play")
    reached = frame(browser)
    time.sleep(0.6)
    expect("it stands still", frame(browser), reached)
    browser.do("document.getElementById('play').click()")
    browser.do("document.activeElement.blur()")
    browser.press("ArrowLeft")
    expect("a key pauses", browser.do("document.getElementById('play').textContent"), "Play")
    browser.press("]")
    tree(browser)
    expect("no request to anywhere", [u for u in browser.requests() if u != url], [])
    expect("no complaint", browser.complaints(), [])
    for scheme in ["light", "dark"]:
        for width in [360, 820, 1400]:
            browser.open(url, width, scheme=scheme)
            looks(browser, f"page-{scheme}-{width}", scheme, width)


def tree(browser):
    """Selects, folds and filters rows, and goes through the panels."""
    rows = browser.do(ROWS)
    browser.press("Home")
    first = browser.do(SELECTED)
    browser.press("ArrowDown")
    second = browser.do(SELECTED)
    expect("down selects another row", first != second)
    expect("the selected row is told", browser.do("document.getElementById(document.getElementById('panel-1').getAttribute('aria-activedescendant')).getAttribute('aria-selected')"), "true")
    browser.press("ArrowUp")
    expect("up goes back", browser.do(SELECTED), first)
    browser.press("End")
    expect("end selects the last row", browser.do(SELECTED) not in {first, second})
    browser.press("k")
    browser.press("j")
    browser.press("Home")
    browser.press("Enter")
    expect("enter folds", browser.do(ROWS) < rows)
    expect("a folded row says so", browser.do("document.querySelector('[aria-selected=true]').getAttribute('aria-expanded')"), "false")
    browser.press("Enter")
    expect("enter unfolds", browser.do(ROWS), rows)
    browser.press("/")
    for letter in "picky":
        browser.press(letter)
    expect("the filter hides rows", browser.do(ROWS), 1)
    browser.press("Escape")
    expect("escape ends the filter", browser.do(ROWS), rows)
    expect("focus returns to the tree", browser.do("document.activeElement.id"), "panel-1")
    for digit in "23615" if browser.do("document.getElementById('panel-4').getClientRects().length") else "2361":
        browser.press(digit)
        expect(f"{digit} focuses a panel", browser.do("document.activeElement.id"), f"panel-{digit}")
    browser.press("?")
    expect("help opens", browser.do("document.getElementById('help').open"))
    browser.press("Escape")
    expect("help closes", browser.do("document.getElementById('help').open"), False)
    browser.do("document.getElementById('letters').click(); document.activeElement.blur()")
    browser.press("/")
    expect("letters can be switched off", browser.do("document.activeElement.id") != "filter")
    browser.do("document.getElementById('letters').click(); document.activeElement.blur()")
    seen, passed = set(), []
    for _ in range(60):
        browser.press("Tab")
        own = browser.do("document.activeElement === document.body ? '' : document.activeElement.id || document.activeElement.textContent")
        passed.append(own)
        seen.add(own)
    expect("tab reaches every part", {"play", "scrubber", "filter", "panel-1", "panel-2", "panel-3", "panel-6"} <= seen)
    expect("a focused part is outlined", browser.do("(() => { document.getElementById('panel-1').focus(); return getComputedStyle(document.getElementById('panel-1')).outlineStyle; })()") != "none")


def ctl(*words, state=f"{WORK}/state"):
    return subprocess.run([CTL, "--state", state, *words], check=True, capture_output=True, text=True).stdout


def settle():
    # The Pod that no node takes keeps the cluster from being settled.
    subprocess.run([CTL, "--state", f"{WORK}/state", "settle", "--for", "10s"], capture_output=True, check=False)


def served(words, state=f"{WORK}/state"):
    process = subprocess.Popen([CTL, "--state", state, *words], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def live(browser):
    server, link = served(["ui", "--web"])
    try:
        host = urllib.parse.urlsplit(link).netloc
        browser.open(link)
        expect("the token has left the address", browser.do("location.href"), f"http://{host}/ui")
        expect("scripts do not see the cookie", browser.do("document.cookie"), "")
        expect("it connects", browser.until("document.getElementById('cause').textContent === 'connected'"))
        expect("the present", browser.do(MOMENT).startswith("Present (virtual clock), "))
        tree(browser)
        ctl("scale", "deployment", "web", "--replicas=5")
        settle()
        expect("it follows a change", browser.until(MOMENT + ".includes('5 of 6 Pods ready')"))
        expect("a rollout", browser.do("document.getElementById('panel-2').textContent.includes('5 of 5 ready')"))
        expect("nodes with Pods", browser.do("/node-0Ready, \\d Pods: /.test(document.getElementById('panel-3').textContent)"))
        expect("events", browser.do("document.querySelectorAll('#panel-4 .item').length > 5"))
        expect("the queue", browser.until("document.getElementById('panel-5').textContent.includes('event-ttl')"))
        browser.do("document.getElementById('panel-1').focus()")
        browser.press("Home")
        expect("causes", browser.until("document.querySelector('#panel-6 pre').textContent.includes('scale')"))
        # Texts of the cluster stay texts.
        hostile = "<img src=x onerror=document.title=1><b>"
        ctl("annotate", "deployment", "web", "note=" + hostile)
        browser.press("ArrowLeft")
        browser.press("ArrowRight")
        expect("hostile text arrives", browser.until("document.querySelector('#panel-6 pre').textContent.includes('onerror')"))
        expect("hostile text is text", browser.do("document.images.length"), 0)
        expect("no script of a text runs", browser.do("document.title"), "namespace default")
        # The history.
        browser.press("ArrowLeft")
        expect("the past", browser.until(MOMENT + ".startsWith('Commit ')"))
        browser.press("[")
        expect("a mark", browser.until("document.getElementById('cause').textContent.startsWith('mark first, ')"))
        expect("the past has three Pods", browser.until(MOMENT + ".includes('3 of 3 Pods ready')"))
        browser.press("s")
        expect("the past cannot be changed", browser.do("document.getElementById('message').textContent"), "Error: this is the past; Esc returns to the present")
        browser.press("Escape")
        browser.press("Escape")
        expect("escape returns to the present", browser.until(MOMENT + ".startsWith('Present')"))
        expect("the present as it was", browser.do(MOMENT).endswith("5 of 6 Pods ready"))
        browser.do("document.getElementById('speed').value = 250; document.activeElement.blur()")
        browser.press("[")
        browser.press(" ")
        expect("the history plays to the present", browser.until("document.getElementById('play').textContent === 'Play' && " + MOMENT + ".startsWith('Present')", 60))
        # Commands.
        browser.press("Home")
        browser.press("s")
        expect("a key fills in a command", browser.until("document.getElementById('line').textContent === 'scale deployment/web --replicas='"))
        expect("the input has the number of now", browser.do("[document.activeElement.id, document.activeElement.value]"), ["word", "5"])
        browser.do("document.activeElement.select()")
        browser.press("2")
        browser.press("Enter")
        expect("the command has run", browser.until("document.getElementById('message').textContent === 'deployment.apps/web scaled'"))
        browser.press("x")
        browser.until("!document.getElementById('prompt').hidden")
        browser.press("Enter")
        expect("settle has run", browser.until(MOMENT + ".includes('2 of 3 Pods ready')"))
        # The Pods may come before the response, and a command that runs keeps others out.
        expect("settle has ended", browser.until("!document.getElementById('message').textContent.endsWith(': running')"))
        expect("the history has the command", "scale deployment/web --replicas=2" in ctl("log"))
        for key, words in [("r", "rollout restart deployment/web"), ("U", "rollout undo deployment/web"), ("u", "undo --last"), ("m", "mark "), ("a", "clock advance ")]:
            browser.press(key)
            expect(f"{key} fills in a command", browser.until(f"!document.getElementById('prompt').hidden && document.getElementById('line').textContent === '{words}'"))
            browser.press("Escape")
            expect(f"{key} is cancelled", browser.do("document.getElementById('prompt').hidden"))
        browser.press("End")
        browser.press("c")
        expect("c asks for a Pod", browser.until("document.getElementById('line').textContent === 'fault pod picky --crash='"))
        browser.press("Escape")
        browser.do("document.querySelector('#panel-3 button').click(); document.activeElement.blur()")
        browser.press("d")
        expect("d asks for a node", browser.until("document.getElementById('line').textContent === 'fault node node-0 --down'"))
        browser.press("Escape")
        what_if(browser)
        expect("every request goes to the server", {urllib.parse.urlsplit(u).netloc for u in browser.requests()}, {host})
        expect("no complaint", [c for c in browser.complaints() if "favicon" not in c], [])
        for scheme in ["light", "dark"]:
            for width in [360, 820, 1400]:
                browser.open(f"http://{host}/ui", width, scheme=scheme)
                browser.until("document.getElementById('panel-5').textContent.includes('event-ttl')")
                looks(browser, f"live-{scheme}-{width}", scheme, width)
                scaled_fork(browser)
                looks(browser, f"fork-{scheme}-{width}", scheme, width)
        server.terminate()
        expect("a lost connection is told", browser.until("document.getElementById('cause').textContent.startsWith('disconnected')"))
    finally:
        server.kill()
        server.wait()


TITLES = "[document.getElementById('title-1').textContent, document.getElementById('title-fork').textContent]"
DIFFERENCES = "[...document.querySelectorAll('#%s .row:not([hidden])')].map((row) => row.querySelector('.more').textContent).filter(Boolean)"


def command(browser, key, text, said):
    """Presses a key, types the rest of its command, and waits for its end."""
    browser.press(key)
    expect(f"{key} has a command", browser.until("!document.getElementById('prompt').hidden"))
    if text:
        browser.do("document.activeElement.select()")
    for letter in text:
        browser.press(letter)
    browser.press("Enter")
    expect(f"{key} has ended", browser.until(f"document.getElementById('message').textContent.includes({said!r})"))


def scaled_fork(browser):
    """Forks the cluster and scales the first workload in the fork."""
    browser.do("document.activeElement.blur()")
    browser.press("f")
    expect("f forks the cluster", browser.until("document.body.classList.contains('forked')"))
    expect("the fork is read", browser.until("document.getElementById('cause').textContent === 'connected'"))
    browser.press("Home")
    command(browser, "s", "6", "deployment.apps/web scaled")
    command(browser, "x", "", "")
    expect("settle has ended on the fork", browser.until("!document.getElementById('message').textContent.endsWith(': running')", 60))
    expect("the fork has four Pods more", browser.until(TITLES + "[1].includes('(+4/+4)')"))


def what_if(browser):
    """Forks the cluster, changes the fork and the cluster, compares them, and discards the fork."""
    browser.press("F")
    expect("without a fork there is none to discard", browser.do("document.getElementById('message').textContent"), "Error: there is no fork; f makes one")
    browser.press("Escape")
    before = ctl("log")
    scaled_fork(browser)
    expect("both sides have a title", [re.sub(r", [0-9:]+$", "", title) for title in browser.do(TITLES)], ["Cluster: 2 of 3 Pods ready", "\u25b8 Fork: 6 of 7 Pods ready (+4/+4)"])
    expect("the moment is that of the fork", browser.do(MOMENT).startswith("Fork: Present (virtual clock), "))
    differences, wanted = DIFFERENCES % "fork-objects", ["+4/+4", "+4/+4", "new", "new", "new", "new"]
    # The rows may be a frame behind the title.
    browser.until(f"JSON.stringify({differences}) === JSON.stringify({json.dumps(wanted)})")
    expect("each object has its difference", browser.do(differences), wanted)
    expect("the cluster has everything that the fork has", browser.do(DIFFERENCES % "objects"), [])
    expect("keys act on the fork", browser.do("[document.getElementById('panel-1').getAttribute('aria-current'), document.getElementById('panel-fork').getAttribute('aria-current')]"), ["false", "true"])
    expect("nothing reaches the cluster", ctl("log") == before)
    # The history of the fork begins with it.
    browser.press("[")
    expect("the history of the fork", browser.until(MOMENT + ".startsWith('Fork: Commit 1 of ')"))
    # The first one closes the message of the last command.
    browser.press("Escape")
    browser.press("Escape")
    expect("back to the present of the fork", browser.until(MOMENT + ".startsWith('Fork: Present')"))
    # The cluster changes beside its fork.
    ctl("delete", "pod", "picky")
    expect("a change of the cluster is a difference", browser.until(TITLES + "[1].includes('Fork: 6 of 7 Pods ready (+4/+5)')"))
    browser.press("f")
    expect("f changes sides", browser.until(TITLES + "[0].startsWith('\u25b8 Cluster: 2 of 2 Pods ready')"))
    browser.press("Home")
    browser.press("s")
    expect("a command for the cluster says so", browser.until("document.getElementById('where').textContent === 'Cluster: '"))
    expect("the other side follows the selection", browser.do("document.querySelector('#fork-objects [aria-selected=true] .name').textContent.includes('deployment/web')"))
    browser.press("Escape")
    browser.do("document.querySelector('#fork-objects .row').click()")
    expect("a click changes sides", browser.do(TITLES + "[1].startsWith('\u25b8 ')"))
    browser.press("F")
    expect("F discards the fork", browser.until("!document.body.classList.contains('forked')"))
    expect("the page says so", browser.do("document.getElementById('message').textContent"), "the fork is discarded")
    expect("one tree is left", browser.do("[document.getElementById('title-1').textContent, document.getElementById('side-fork').hidden]"), ["Objects", True])
    browser.press("Escape")
    ctl("run", "picky", "--image=shop:1", "--overrides={\"spec\":{\"nodeSelector\":{\"disk\":\"ssd\"}}}")
    settle()


def behind_tls(browser):
    """The view beside the API: its link opens it, over HTTP/2 too."""
    server, _ = served(["serve", "--listen", "127.0.0.1:0", "--kubeconfig", f"{WORK}/kubeconfig"])
    try:
        text = open(f"{WORK}/kubeconfig").read()
        link, token = re.search(r"https://[^\s\"]+", text).group(0), re.search(r"token: \"?(\w+)", text).group(1)
        browser.open(f"{link}/ui?token={token}&namespace=")
        expect("it connects over TLS", browser.until("document.getElementById('cause').textContent === 'connected'"))
        expect("all namespaces", browser.do("document.querySelector('h1').textContent"), "all namespaces")
        expect("a browser does not reach the API", browser.do("fetch('/api').then((r) => r.status)"), 401)
        browser.do("document.activeElement.blur()")
        browser.press("Home")
        browser.press("s")
        expect("commands over TLS", browser.until("document.getElementById('line').textContent.startsWith('scale ')"))
    finally:
        server.kill()
        server.wait()


def large(browser):
    """Ten thousand Pods: the time of a frame with its layout, recorded and live."""
    state = f"{WORK}/large"
    ctl("cluster", "init", "--nodes", "200", "--clock", "virtual", "--seed", "7", state=state)
    ctl("create", "deployment", "big", "--image=i", "--replicas=10000", state=state)
    ctl("settle", state=state)
    server, link = served(["ui", "--web"], state)
    try:
        browser.open(link)
        expect("ten thousand Pods", browser.until(MOMENT + ".includes('10000 of 10000 Pods ready')", 120))
        expect("few rows are elements", browser.do("document.querySelectorAll('#objects .row').length < 80"))
        for _ in range(3):
            browser.press("End")
            browser.press("Home")
        # The script, the styles and the layout of a frame; painting depends on the machine, which has no graphics card here.
        rounds = [browser.do("""(async () => {
          const took = [], tree = document.getElementById('panel-1');
          const frame = (work) => new Promise((done) => requestAnimationFrame(() => {
            const since = performance.now();
            work();
            document.body.getBoundingClientRect();
            took.push(performance.now() - since);
            done();
          }));
          for (let n = 0; n < 60; n += 1) await frame(() => { tree.scrollTop += 911; });
          for (let n = 0; n < 60; n += 1) await frame(() => { tree.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true, cancelable: true })); });
          // A frame as after a change of the cluster: everything is arranged and compared again.
          for (let n = 0; n < 60; n += 1) await frame(() => { dispatchEvent(new Event('resize')); });
          took.sort((a, b) => a - b);
          return [took[90], took[171], took[179]];
        })()""") for _ in range(3)]
        # Other work on the machine makes frames late; a page that is too slow is so in every round.
        took = min(rounds, key=lambda round: round[1])
        print("10,000 Pods: %.1f ms at the median, %.1f ms at p95, %.1f ms at most" % tuple(took))
        expect(f"a frame takes {took[1]:.1f} ms at p95", took[1] <= 33)
        browser.shot("live-10000")
    finally:
        server.kill()
        server.wait()


browser = Browser()
try:
    recorded(browser)
    live(browser)
    behind_tls(browser)
    large(browser)
finally:
    browser.process.kill()
print(f"{len(wrong)} checks are wrong")
sys.exit(bool(wrong))
