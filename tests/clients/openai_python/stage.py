"""The real server in front of a fake provider. `../stage.js` starts both, and they stop with the tests."""

import json
import os
import pathlib
import subprocess
import time
import unittest
import urllib.error
import urllib.request

import openai

CLIENTS = pathlib.Path(__file__).parent.parent
WORDS = ["The", " keeper", " winds", " the", " clockwork", " every", " four", " hours."]
SENTENCE = "".join(WORDS)
SLOW = "".join(f"word{at} " for at in range(120))
INPUT = "How often is the clockwork wound?"
PLACE = {
    "type": "object",
    "properties": {"place": {"type": "string"}},
    "required": ["place"],
    "additionalProperties": False,
}


def messages(text=INPUT):
    return [{"role": "user", "content": text}]


class Stage(unittest.TestCase):
    """One server for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        command = ["node", str(CLIENTS / "stage.js")]
        cls.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ, text=True)
        line = cls.process.stdout.readline()
        if not line:
            raise RuntimeError("the server did not start; UNDERSTUDY_BIN must name its binary")
        told = json.loads(line)
        cls.url, cls.token, cls.provider = told["url"], told["token"], told["provider"]
        cls.base_url = f"{cls.url}/api/chat/partner_compatible/v1"
        cls.client = cls.connect()

    @classmethod
    def tearDownClass(cls):
        cls.process.stdin.close()
        cls.process.stdout.close()
        cls.process.wait(timeout=60)

    @classmethod
    def connect(cls, kind=openai.OpenAI, **options):
        return kind(**{"api_key": cls.token, "base_url": cls.base_url, "max_retries": 0, **options})

    def seen(self):
        """The bodies of the requests to the provider so far, oldest first."""
        with urllib.request.urlopen(f"{self.provider}/seen") as answer:
            return [asked["body"] for asked in json.load(answer)]

    def call(self, method, path, body=None, headers=None):
        """Calls the server's own API. Returns status, headers and text."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        given = {"authorization": f"Bearer {self.token}", "content-type": "application/json", **(headers or {})}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=given)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, dict(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read().decode()

    def attach(self, stream):
        """The chunks of a stream that is read again in the OpenAI encoding."""
        status, _, text = self.call("GET", f"/api/chat/streams/{stream}?wire=openai")
        self.assertEqual(status, 200, text)
        lines = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
        self.assertEqual(lines.pop(), "[DONE]")
        return [json.loads(line) for line in lines]

    def ended(self, response):
        """Waits for the end of a background response."""
        for _ in range(2400):
            now = self.client.responses.retrieve(response)
            if now.status not in ("queued", "in_progress"):
                return now
            time.sleep(0.025)
        self.fail("no end after a minute")
