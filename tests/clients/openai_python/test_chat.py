"""The unmodified official OpenAI library for Python: chats, models, tools, errors, embeddings, audio."""

import asyncio
import io
import unittest

import openai
import pydantic

from stage import INPUT, PLACE, SENTENCE, SLOW, WORDS, Stage, messages

PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
TOOLS = [{"type": "function", "function": {"name": name, "parameters": PLACE}} for name in ("weather", "tide")]


class Report(pydantic.BaseModel):
    city: str
    degrees: int
    rain: bool


def said(chunks, index=0):
    """The text of one of the choices of a stream."""
    choices = [choice for chunk in chunks for choice in chunk.choices if choice.index == index]
    return "".join(choice.delta.content or "" for choice in choices)


class Chat(Stage):
    def ask(self, model, client=None, **more):
        return (client or self.client).chat.completions.create(model=model, messages=messages(), **more)

    def test_models(self):
        ids = [model.id for model in self.client.models.list()]
        self.assertIn("builtin/scribe", ids)
        self.assertIn("fake/plain", ids)
        self.assertEqual(self.client.models.retrieve("fake/plain").id, "fake/plain")
        with self.assertRaises(openai.NotFoundError):
            self.client.models.retrieve("fake/nothing")

    def test_complete_answer(self):
        answer = self.ask("fake/plain")
        self.assertEqual(answer.choices[0].message.content, SENTENCE)
        self.assertEqual(answer.choices[0].finish_reason, "stop")
        usage = answer.usage
        self.assertEqual((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (11, 8, 19))
        self.assertEqual(usage.prompt_tokens_details.cached_tokens, 4)

    def test_stream(self):
        plain = list(self.ask("fake/plain", stream=True))
        self.assertEqual(said(plain), SENTENCE)
        self.assertTrue(all(chunk.usage is None for chunk in plain))
        counted = list(self.ask("fake/plain", stream=True, stream_options={"include_usage": True}))
        self.assertEqual(counted[-1].choices, [])
        self.assertEqual(counted[-1].usage.total_tokens, 19)

    def test_stream_accumulated_by_the_library(self):
        with self.client.chat.completions.stream(model="fake/plain", messages=messages()) as stream:
            deltas = [event.delta for event in stream if event.type == "content.delta"]
            final = stream.get_final_completion()
        self.assertEqual("".join(deltas), SENTENCE)
        self.assertEqual(final.choices[0].message.content, SENTENCE)

    def test_asynchronously(self):
        async def ask():
            async with self.connect(openai.AsyncOpenAI) as client:
                stream = await client.chat.completions.create(model="fake/plain", messages=messages(), stream=True)
                return [chunk async for chunk in stream]

        self.assertEqual(said(asyncio.run(ask())), SENTENCE)

    def test_several_answers(self):
        before = len(self.seen())
        answer = self.ask("fake/plain", n=2)
        self.assertEqual([choice.message.content for choice in answer.choices], [SENTENCE] * 2)
        chunks = list(self.ask("fake/plain", n=2, stream=True))
        self.assertEqual([said(chunks, index) for index in (0, 1)], [SENTENCE] * 2)
        self.assertEqual(len(self.seen()) - before, 4)

    def test_parameters_are_passed_on_unchanged(self):
        given = {"stop": ["END"], "seed": 7, "temperature": 0.25, "top_p": 0.5, "user": "somebody", "logit_bias": {"50256": -100}}
        self.ask("fake/plain", **given, extra_body={"a_field_of_tomorrow": {"kept": True}})
        body = self.seen()[-1]
        for name, value in given.items():
            self.assertEqual(body[name], value)
        self.assertEqual(body["a_field_of_tomorrow"], {"kept": True})

    def test_log_probabilities_refusals_reasoning(self):
        likely = self.ask("fake/logprobs", logprobs=True, top_logprobs=2)
        self.assertEqual([one.token for one in likely.choices[0].logprobs.content], WORDS)
        with self.client.chat.completions.stream(model="fake/logprobs", messages=messages(), logprobs=True) as stream:
            final = stream.get_final_completion()
        self.assertEqual([one.token for one in final.choices[0].logprobs.content], WORDS)
        self.assertEqual(self.ask("fake/refusing").choices[0].message.refusal, "I will not say that.")
        self.assertEqual(self.ask("fake/thinker").choices[0].message.reasoning_content, "Tides follow the moon.")
        self.assertEqual(self.ask("fake/short").choices[0].finish_reason, "length")

    def test_images(self):
        content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
        answer = self.client.chat.completions.create(model="fake/sees", messages=[{"role": "user", "content": content}])
        self.assertEqual(answer.choices[0].message.content, "1 picture, data:image/png;base64,")

    def test_tool_loop(self):
        asked = messages()
        answer = self.client.chat.completions.create(model="fake/parallel", messages=asked, tools=TOOLS)
        calls = answer.choices[0].message.tool_calls
        self.assertEqual([call.function.name for call in calls], ["weather", "tide"])
        self.assertEqual([call.function.arguments for call in calls], ['{"place":"Bergen"}'] * 2)
        # The message is sent back as the library returns it.
        asked.append(answer.choices[0].message)
        asked += [{"role": "tool", "tool_call_id": call.id, "content": f"the {call.function.name}"} for call in calls]
        answer = self.client.chat.completions.create(model="fake/parallel", messages=asked, tools=TOOLS)
        self.assertEqual(answer.choices[0].message.content, "I was told: the weather and the tide")

    def test_tools_in_a_stream(self):
        with self.client.chat.completions.stream(model="fake/parallel", messages=messages(), tools=TOOLS) as stream:
            done = [event for event in stream if event.type == "tool_calls.function.arguments.done"]
        self.assertEqual([(event.name, event.arguments) for event in done], [(name, '{"place":"Bergen"}') for name in ("weather", "tide")])

    def test_structured_output(self):
        answer = self.client.chat.completions.parse(model="fake/json", messages=messages(), response_format=Report)
        self.assertEqual(answer.choices[0].message.parsed, Report(city="Bergen", degrees=7, rain=True))
        schema = self.seen()[-1]["response_format"]
        self.assertEqual((schema["type"], schema["json_schema"]["strict"]), ("json_schema", True))

    def test_errors(self):
        with self.assertRaises(openai.AuthenticationError) as caught:
            self.ask("fake/plain", self.connect(api_key="und_wrong"))
        self.assertEqual(caught.exception.code, "invalid_api_key")
        with self.assertRaises(openai.UnprocessableEntityError) as caught:
            self.client.chat.completions.create(model="fake/plain", messages=[])
        self.assertEqual(caught.exception.param, "messages")
        kinds = {
            "fake/nothing": openai.NotFoundError,
            "fake/busy": openai.RateLimitError,
            "fake/wrong": openai.BadRequestError,
            "fake/down": openai.InternalServerError,
        }
        for model, kind in kinds.items():
            for stream in (False, True):
                with self.subTest(model=model, stream=stream), self.assertRaises(kind):
                    self.ask(model, stream=stream)
        with self.assertRaises(openai.APIError):
            list(self.ask("fake/breaking", stream=True))

    def test_answer_continues_without_its_client(self):
        before = len(self.seen())
        raw = self.client.chat.completions.with_raw_response.create(model="fake/slow", messages=messages(), stream=True)
        stream = raw.parse()
        seen = [next(stream) for _ in range(5)]
        stream.close()
        again = self.attach(raw.headers["x-stream-id"])
        self.assertEqual("".join(choice["delta"].get("content", "") for chunk in again for choice in chunk["choices"]), SLOW)
        self.assertEqual(again[0]["id"], seen[0].id)
        self.assertEqual(len(self.seen()) - before, 1)

    def test_answer_is_attached_to_again_after_a_timeout(self):
        before = len(self.seen())
        patient = self.connect(timeout=1, max_retries=20)
        answer = self.ask("fake/slow", patient, extra_headers={"Idempotency-Key": "patience"})
        self.assertEqual(answer.choices[0].message.content, SLOW)
        self.assertEqual(len(self.seen()) - before, 1)
        with self.assertRaises(openai.APITimeoutError):
            self.ask("fake/slow", self.connect(timeout=0.3))

    def test_embeddings(self):
        numbers = self.client.embeddings.create(model="fake/embed", input=["one", "a longer text"], encoding_format="float")
        packed = self.client.embeddings.create(model="fake/embed", input=["one", "a longer text"])
        for one, other in zip(numbers.data, packed.data, strict=True):
            self.assertEqual(len(one.embedding), 8)
            for a, b in zip(one.embedding, other.embedding, strict=True):
                self.assertAlmostEqual(a, b, places=6)
        raw = self.client.embeddings.create(model="fake/embed", input="one", encoding_format="base64")
        self.assertIsInstance(raw.data[0].embedding, str)
        # A list of tokens is accepted as a text.
        self.assertEqual(len(self.client.embeddings.create(model="builtin/hash", input=[15339, 1917], dimensions=16).data[0].embedding), 16)

    def test_audio(self):
        speaking = self.client.audio.speech.with_streaming_response
        with speaking.create(model="builtin/voice", voice="ada", input=INPUT, response_format="wav") as spoken:
            wav = b"".join(spoken.iter_bytes())
        self.assertEqual(wav[:4], b"RIFF")
        heard = self.client.audio.transcriptions.create(model="builtin/ear", file=("said.wav", io.BytesIO(wav)))
        self.assertEqual(heard.text.strip(), INPUT)
        told = self.client.audio.transcriptions.create(model="builtin/ear", file=("said.wav", io.BytesIO(wav)), response_format="verbose_json")
        self.assertGreater(told.segments[0].end, told.segments[0].start)


if __name__ == "__main__":
    unittest.main()
