"""A Python client that `openapi-python-client` generates from the document of the binary: its types are checked, all its
modules are imported, and it is used against the server."""

import compileall
import importlib
import json
import os
import pathlib
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

HERE = pathlib.Path(__file__).parent
EMAIL, PASSWORD = "admin@example.com", "a-password-for-client-tests"
# Parameters of an answer that is still being written while a test looks at it, even on a slow machine.
LONG = {"length": 400, "pace_ms": 20}


def run(*command):
    """The output of a program, which must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-8000:]}{done.stderr[-8000:]}")
    return done.stdout + done.stderr


def binary():
    return pathlib.Path(os.environ["UNDERSTUDY_BIN"]).resolve()


class Server:
    """The binary with its own folder, on a free port."""

    def __init__(self, folder):
        environment = {**os.environ, "UNDERSTUDY_ADMIN_EMAIL": EMAIL, "UNDERSTUDY_ADMIN_PASSWORD": PASSWORD}
        environment["UNDERSTUDY_MODELS__PROBE_LOCAL"] = "false"
        environment.pop("UNDERSTUDY_BIN")
        self.out, self.log = folder / "out", folder / "log"
        command = [binary(), "serve", "--data", folder / "data", "--listen", "127.0.0.1:0"]
        with open(self.out, "wb") as out, open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=log)
        self.url = self.ready()

    def ready(self):
        late = time.monotonic() + 60
        while time.monotonic() < late and self.process.poll() is None:
            listens = re.search(r"listens on (http://127\.0\.0\.1:\d+)\n", self.out.read_text())
            if listens:
                return listens[1]
            time.sleep(0.05)
        raise RuntimeError(f"the server is not ready:\n{self.log.read_text(errors='replace')[-4000:]}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="understudy-generated-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        document = cls.folder / "openapi.json"
        document.write_text(subprocess.run([binary(), "openapi", "--without-aliases"], check=True, capture_output=True, text=True).stdout)
        cls.client_folder = cls.folder / "client"
        generator = pathlib.Path(sys.executable).parent / "openapi-python-client"
        options = ["--path", document, "--config", HERE / "config.yaml", "--output-path", cls.client_folder]
        cls.generated = run(generator, "generate", "--fail-on-warning", *options)
        sys.path.insert(0, str(cls.client_folder))
        cls.addClassCleanup(sys.path.remove, str(cls.client_folder))
        cls.server = Server(cls.folder)
        cls.addClassCleanup(cls.server.stop)
        cls.models = importlib.import_module("understudy_client.models")
        cls.client = cls.sign_in()
        cls.addClassCleanup(cls.client.get_httpx_client().close)

    @classmethod
    def operation(cls, area, name):
        """The module of an operation."""
        return importlib.import_module(f"understudy_client.api.{area}.{area}_{name}")

    @classmethod
    def sign_in(cls):
        from understudy_client import AuthenticatedClient, Client

        body = cls.models.LoginRequest(email=EMAIL, password=PASSWORD)
        with Client(base_url=cls.server.url) as client:
            login = cls.operation("auth", "login").sync(client=client, body=body)
        assert isinstance(login, cls.models.LoginResponse), login
        return AuthenticatedClient(base_url=cls.server.url, token=login.access_token)

    def conversation(self, title):
        body = self.models.CreateConversationRequest(title=title)
        created = self.operation("conversations", "create_conversation").sync(client=self.client, body=body)
        self.assertIsInstance(created, self.models.ConversationResponse)
        return created.id

    def request(self, conversation, message, parameters):
        """The arguments of a request for an answer, as JSON, which streams lines."""
        of_answer = self.models.ConversationChatCompletionBodyParameters.from_dict(parameters)
        body = self.models.ConversationChatCompletionBody(message=message, parameters=of_answer)
        completion = self.operation("conversations", "conversation_completion")
        return completion._get_kwargs(conversation, body=body, wire=self.models.Wire.NDJSON)

    def event(self, line):
        """An event of the type that its `type` names."""
        fields = json.loads(line)
        words = re.split("[^a-z0-9]", fields["type"])
        return getattr(self.models, "StreamEvent" + "".join(word.capitalize() for word in words)).from_dict(fields)

    def ask(self, conversation, message, parameters):
        """The events of an answer, as they arrive."""
        with self.client.get_httpx_client().stream(**self.request(conversation, message, parameters)) as answer:
            if answer.status_code != 200:
                answer.read()
                raise Refused(self.models.Problem.from_dict(answer.json()))
            for line in answer.iter_lines():
                yield self.event(line)

    def test_all_modules_compile(self):
        package = self.client_folder / "understudy_client"
        self.assertTrue(compileall.compile_dir(package, quiet=1))
        for module in pkgutil.walk_packages([str(package)], "understudy_client."):
            importlib.import_module(module.name)

    def test_types_are_sound(self):
        (self.folder / "mypy.ini").write_text("[mypy]\n")
        options = ["--config-file", self.folder / "mypy.ini", "--cache-dir", self.folder / "mypy"]
        run(sys.executable, "-m", "mypy", *options, self.client_folder / "understudy_client")

    def test_answer_is_streamed_to_its_end_and_read_back(self):
        conversation = self.conversation("Generated")
        events = list(self.ask(conversation, "What does the keeper wind?", {"length": 30}))
        self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
        self.assertIsInstance(events[-1], self.models.StreamEventRunEnded)
        self.assertEqual(events[-1].data.terminal.status, self.models.RunState.SUCCEEDED)
        text = "".join(event.data.text for event in events if isinstance(event, self.models.StreamEventTextDelta))
        self.assertNotEqual(text, "")
        read = self.operation("conversations", "get_conversation").sync(conversation, client=self.client)
        self.assertIsInstance(read, self.models.ConversationResponse)
        self.assertEqual([message.role.value for message in read.messages], ["user", "assistant"])
        self.assertEqual(read.messages[1].parts[0].text, text)
        reconnect = self.operation("conversations", "reconnect_stream")
        half = len(events) // 2
        arguments = {"wire": self.models.Wire.NDJSON, "after": events[half - 1].seq}
        rest = self.client.get_httpx_client().request(**reconnect._get_kwargs(conversation, events[0].run_id, **arguments))
        self.assertEqual([self.event(line) for line in rest.text.splitlines()], events[half:])

    def test_problems_are_handled_by_their_codes(self):
        conversation = self.conversation("Busy")
        answer = self.ask(conversation, "Tell me everything.", LONG)
        first = next(answer)
        with self.assertRaises(Refused) as refused:
            list(self.ask(conversation, "And this.", {}))
        problem = refused.exception.problem
        self.assertEqual(problem.code, self.models.ErrorCode.STREAM_ACTIVE)
        self.assertEqual(problem.stream_id, first.run_id)
        cancel = self.operation("conversations", "cancel_stream")
        receipt = cancel.sync(conversation, first.run_id, client=self.client)
        self.assertIsInstance(receipt, self.models.CancelReceipt)
        self.assertEqual(list(answer)[-1].data.terminal.status, self.models.RunState.CANCELLED)

        patch = self.operation("conversations", "patch_conversation")
        read = self.operation("conversations", "get_conversation").sync_detailed(conversation, client=self.client)
        body = self.models.PatchConversationRequest(title="Renamed")
        renamed = patch.sync(conversation, client=self.client, body=body, if_match=read.headers["ETag"])
        self.assertEqual(renamed.title, "Renamed")
        stale = patch.sync(conversation, client=self.client, body=body, if_match=read.headers["ETag"])
        self.assertIsInstance(stale, self.models.Problem)
        self.assertEqual(stale.code, self.models.ErrorCode.STALE)
        missing = self.operation("conversations", "get_conversation").sync(uuid.uuid4(), client=self.client)
        self.assertEqual(missing.code, self.models.ErrorCode.NOT_FOUND)
        by_code = self.models.ProblemStreamActive.from_dict(problem.to_dict())
        self.assertEqual(by_code.stream_id, first.run_id)


class Refused(Exception):
    def __init__(self, problem):
        super().__init__(f"{problem.code}: {problem.detail}")
        self.problem = problem


if __name__ == "__main__":
    unittest.main()
