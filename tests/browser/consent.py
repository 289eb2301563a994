#!/usr/bin/env python3
"""The owner's pages in a real browser: password, consent, a client that reads, and the end of its grant.

usage: consent.py BINARY [SCREENSHOTS]

Needs chromium and chromedriver, and nothing beyond Python itself. Fails when they are not there.
"""

import base64
import hashlib
import http.server
import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

PASSWORD = "seven small copper kettles"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PHONE, DESK = (360, 800), (1100, 900)


def call(method, url, body=None, headers=None):
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **(headers or {})}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


class Browser:
    """A chromium under a chromedriver of its own."""

    def __init__(self, screenshots):
        for program in ("chromium", "chromedriver"):
            if not shutil.which(program):
                sys.exit(f"{program} is not installed")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if "successfully on port " in line:
                self.base = "http://127.0.0.1:" + line.split("on port ")[1].strip(". \n")
                break
        self.screenshots = screenshots
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
            "binary": shutil.which("chromium"),
        }
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + answer["sessionId"]

    def ask(self, method, path, body=None):
        url = self.base + (path if "/session" in self.base else "/session" + path)
        status, answer = call(method, url, {} if body is None and method == "POST" else body)
        if status != 200:
            raise AssertionError(f"{path}: {answer['value']['message']}")
        return answer["value"]

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def find(self, selector):
        using, value = ("xpath", selector) if selector.startswith("//") else ("css selector", selector)
        return self.ask("POST", "/element", {"using": using, "value": value})[ELEMENT]

    def click(self, selector):
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", {ELEMENT: element})
        self.ask("POST", f"/element/{element}/click")

    def fill(self, selector, text):
        self.ask("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self):
        return self.run("return document.body.innerText")

    def expect(self, phrase):
        """Waits for a page that says so."""
        for _ in range(100):
            if phrase in self.text():
                return
            time.sleep(0.1)
        raise AssertionError(f"{phrase!r} is not in {self.text()!r}")

    def dark(self, on):
        command = {"features": [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]}
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": command})

    def look(self, name):
        """Nothing sticks out on a phone; pictures in both themes for whoever wants to look."""
        for size, label in ((PHONE, "phone"), (DESK, "desk")):
            metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
            self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
            wide = self.run("return document.documentElement.scrollWidth")
            assert wide <= size[0], f"{name} is {wide} wide on a {label}"
            if self.screenshots:
                for theme in ("light", "dark"):
                    self.dark(theme == "dark")
                    shot = {"cmd": "Page.captureScreenshot", "params": {"captureBeyondViewport": False}}
                    picture = self.ask("POST", "/goog/cdp/execute", shot)["data"]
                    with open(os.path.join(self.screenshots, f"{name}-{label}-{theme}.png"), "wb") as file:
                        file.write(base64.b64decode(picture))

    def complaints(self):
        entries = self.ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def close(self):
        self.ask("DELETE", "")
        self.driver.terminate()


class Callback(http.server.BaseHTTPRequestHandler):
    """Where the client waits for its code."""

    got = {}

    def do_GET(self):
        query = urllib.parse.urlsplit(self.path).query
        if query:
            Callback.got = dict(urllib.parse.parse_qsl(query))
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Connected</title>You can close this window.")

    def log_message(self, *_):
        pass


def walk(browser, url):
    browser.open(url + "/")
    browser.expect("No password is set")
    browser.look("home")

    browser.open(url + "/password")
    browser.fill("#new", PASSWORD)
    browser.fill("#again", PASSWORD)
    browser.click("form[action='/password'] button")
    browser.expect("Sign out")
    browser.click("form[action='/signout'] button")
    browser.expect("Sign in")
    browser.look("signin")

    waiting = http.server.HTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=waiting.serve_forever, daemon=True).start()
    redirect = f"http://127.0.0.1:{waiting.server_port}/callback"
    metadata = {"client_name": "Desk", "redirect_uris": [redirect], "token_endpoint_auth_method": "none"}
    status, client = call("POST", url + "/oauth/register", metadata)
    assert status == 201, client
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code", "client_id": client["client_id"], "redirect_uri": redirect, "state": "s",
        "code_challenge": challenge, "code_challenge_method": "S256", "resource": url + "/mcp",
    }
    browser.open(url + "/oauth/authorize?" + urllib.parse.urlencode(asked))
    browser.fill("#password", PASSWORD)
    browser.click("form[action='/signin'] button")
    browser.expect("asks to read your records")
    browser.look("consent")

    browser.click("//legend//input[@name='c/bank-elbe']")
    browser.click("//button[@value='allow']")
    browser.expect("no longer what you were shown")
    browser.expect("nothing disclosed")
    browser.click("//summary[contains(., 'Sample rows')]")
    browser.look("narrowed")
    browser.click("//button[@value='allow']")
    for _ in range(100):
        if Callback.got:
            break
        time.sleep(0.1)
    assert Callback.got.get("state") == "s" and Callback.got.get("iss") == url, Callback.got

    form = {"grant_type": "authorization_code", "code": Callback.got["code"], "code_verifier": verifier,
            "client_id": client["client_id"]}
    kind = {"content-type": "application/x-www-form-urlencoded"}
    status, tokens = call("POST", url + "/oauth/token", urllib.parse.urlencode(form).encode(), kind)
    assert status == 200, tokens
    bearer = {"authorization": "Bearer " + tokens["access_token"]}
    status, schema = call("GET", url + "/v1/schema?view=compact", headers=bearer)
    connections = json.dumps(schema)
    assert status == 200 and "gmail" in connections and "bank-elbe" not in connections, connections

    browser.open(url + "/grants")
    browser.look("grants")
    browser.click("//section[.//h2[.='Desk']]//button[.='End all of it']")
    browser.expect("1 ended grant")
    status, refused = call("GET", url + "/v1/schema", headers=bearer)
    assert (status, refused["error"]["code"]) == (403, "grant_revoked"), refused
    # The page that was refused on purpose is one the browser mentions.
    complaints = [text for text in browser.complaints() if not text.endswith("409 (Conflict)")]
    assert not complaints, complaints


def main():
    binary, screenshots = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    demo = subprocess.Popen([binary, "demo", "--listen", "127.0.0.1:0", "--scale", "5", "--json"],
                            stdout=subprocess.PIPE, text=True)
    browser = None
    try:
        url = json.loads(demo.stdout.readline())["url"]
        browser = Browser(screenshots)
        walk(browser, url)
    finally:
        if browser:
            browser.close()
        demo.terminate()
        demo.wait(30)
    print("the pages work in chromium")


if __name__ == "__main__":
    main()
