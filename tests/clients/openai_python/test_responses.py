"""The Responses interface, called through the unmodified official OpenAI library for Python."""

import unittest

import openai
import pydantic

from stage import INPUT, PLACE, SENTENCE, SLOW, Stage

TOOLS = [{"type": "function", "name": name, "parameters": PLACE, "strict": True} for name in ("weather", "tide")]


class Report(pydantic.BaseModel):
    city: str
    degrees: int


class Responses(Stage):
    def create(self, model="fake/plain", input=INPUT, **more):
        return self.client.responses.create(model=model, input=input, **more)

    def test_complete_response(self):
        response = self.create(instructions="Be short.")
        self.assertEqual((response.status, response.output_text), ("completed", SENTENCE))
        self.assertEqual(response.usage.total_tokens, 19)
        kept = self.client.responses.retrieve(response.id)
        self.assertEqual(kept.output_text, SENTENCE)
        items = self.client.responses.input_items.list(response.id).data
        self.assertEqual(items[-1].content[0].text, INPUT)
        self.client.responses.delete(response.id)
        with self.assertRaises(openai.NotFoundError):
            self.client.responses.retrieve(response.id)

    def test_stream(self):
        events = list(self.create(stream=True))
        self.assertEqual([event.sequence_number for event in events], list(range(len(events))))
        self.assertEqual("".join(event.delta for event in events if event.type == "response.output_text.delta"), SENTENCE)
        with self.client.responses.stream(model="fake/plain", input=INPUT) as stream:
            for _ in stream:
                pass
            self.assertEqual(stream.get_final_response().output_text, SENTENCE)

    def test_structured_output(self):
        response = self.client.responses.parse(model="fake/json", input=INPUT, text_format=Report)
        self.assertEqual(response.output_parsed, Report(city="Bergen", degrees=7))

    def test_tools(self):
        first = self.create("fake/parallel", tools=TOOLS)
        calls = [item for item in first.output if item.type == "function_call"]
        self.assertEqual([(call.name, call.arguments) for call in calls], [(name, '{"place":"Bergen"}') for name in ("weather", "tide")])
        outputs = [{"type": "function_call_output", "call_id": call.call_id, "output": f"the {call.name}"} for call in calls]
        second = self.create("fake/parallel", outputs, tools=TOOLS, previous_response_id=first.id)
        self.assertEqual(second.output_text, "I was told: the weather and the tide")
        # Without an id: the whole history is sent again, as the library's own objects.
        again = [{"role": "user", "content": INPUT}, *first.output, *outputs]
        self.assertEqual(self.create("fake/parallel", again, tools=TOOLS, store=False).output_text, second.output_text)

    def test_continuing_a_response(self):
        first = self.create()
        self.create(input="And who winds it?", previous_response_id=first.id)
        roles = [message["role"] for message in self.seen()[-1]["messages"]]
        self.assertEqual(roles, ["user", "assistant", "user"])

    def test_background_response(self):
        begun = self.create("fake/slow", background=True)
        self.assertIn(begun.status, ("queued", "in_progress"))
        whole = list(self.client.responses.retrieve(begun.id, stream=True))
        self.assertEqual(whole[-1].type, "response.completed")
        rest = list(self.client.responses.retrieve(begun.id, stream=True, starting_after=6))
        self.assertEqual([event.to_dict() for event in rest], [event.to_dict() for event in whole[7:]])
        self.assertEqual(self.ended(begun.id).output_text, SLOW)

    def test_cancelled_response(self):
        begun = self.create("fake/slow", background=True)
        self.client.responses.cancel(begun.id)
        self.assertEqual(self.ended(begun.id).status, "cancelled")

    def test_errors(self):
        for model, kind in {"fake/nothing": openai.NotFoundError, "fake/busy": openai.RateLimitError, "fake/wrong": openai.BadRequestError}.items():
            with self.subTest(model=model), self.assertRaises(kind):
                self.create(model)
        with self.assertRaises(openai.UnprocessableEntityError):
            self.create(input=[])


if __name__ == "__main__":
    unittest.main()
