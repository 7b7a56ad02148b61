use super::*;
use crate::chat::{ChatDelta, FinishReason, Role, ToolSpec, Usage};
use futures::StreamExt;
use serde_json::{Value, json};

fn user(text: &str) -> ChatMessage {
    ChatMessage::text(Role::User, text)
}

fn file(name: &str, text: &str) -> Content {
    Content::File { filename: name.into(), media_type: "text/plain".into(), text: text.into() }
}

fn request(messages: Vec<ChatMessage>, parameters: Value) -> ChatRequest {
    let parameters = parameters.as_object().unwrap().clone();
    ChatRequest { model: NAME.into(), messages, parameters, ..ChatRequest::default() }
}

async fn deltas(request: ChatRequest) -> Vec<ChatDelta> {
    let stream = Scribe.stream(request).await.unwrap();
    stream.map(Result::unwrap).collect().await
}

/// Returns the words of an answer, its usage and its finish reason; each delta is one word.
async fn said(messages: Vec<ChatMessage>, parameters: Value) -> (String, Usage, FinishReason) {
    let mut deltas = deltas(request(messages, parameters)).await;
    let Some(ChatDelta::Finish(reason)) = deltas.pop() else { panic!("no finish") };
    let Some(ChatDelta::Usage(usage)) = deltas.pop() else { panic!("no usage") };
    let mut text = String::new();
    for delta in deltas {
        let ChatDelta::Text(word) = delta else { panic!("{delta:?}") };
        assert_eq!(words(&word), 1, "{word:?}");
        text.push_str(&word);
    }
    assert_eq!(words(&text), usage.output_tokens);
    assert!(!usage.estimated);
    (text, usage, reason)
}

async fn text(messages: Vec<ChatMessage>) -> String {
    said(messages, json!({})).await.0
}

fn with_file(question: &str, name: &str, body: &str) -> Vec<ChatMessage> {
    let mut message = user(question);
    message.content.push(file(name, body));
    vec![message]
}

const GUIDE: &str = "Backups are written every night at two. \
    The office in Bergen opens at nine and closes at five. \
    Lunch is served in the canteen. \
    Restoring a backup needs an empty folder.";

#[tokio::test]
async fn scribe_quotes_only_memories_of_its_instructions() {
    let instructions = "Live well. Say where you live.\n\nWhat you remember of the user, from earlier conversations:\n\
        - I live in Bergen.\n- My boat is red.\n\nAnswer as those who live there.";
    let messages = vec![ChatMessage::text(Role::System, instructions), user("Where do I live?")];
    let answer = text(messages).await;
    assert!(answer.contains("What I remember of you: “I live in Bergen.”"), "{answer}");
    assert!(!answer.contains("Live well") && !answer.contains("as those"), "{answer}");
}

#[tokio::test]
async fn scribe_quotes_matching_sentences_with_their_source() {
    let answer = text(with_file("When does the Bergen office open?", "guide.txt", GUIDE)).await;
    assert!(answer.contains("guide.txt: “The office in Bergen opens at nine"), "{answer}");
    assert!(!answer.contains("canteen"), "{answer}");
    assert!(answer.contains("built-in model"), "it says what it is: {answer}");
}

#[tokio::test]
async fn scribe_quotes_several_sources_by_name() {
    let mut messages = with_file("How do I restore a backup?", "guide.txt", GUIDE);
    messages[0].content.push(file("faq.md", "# Restoring\n\nTo restore a backup, stop it first."));
    let answer = text(messages).await;
    assert!(answer.contains("guide.txt: “") && answer.contains("faq.md: “"), "{answer}");
    assert!(answer.contains("empty folder") && answer.contains("stop it first"), "{answer}");
}

#[tokio::test]
async fn scribe_quotes_earlier_messages_but_not_instructions() {
    let answer = text(vec![
        ChatMessage::text(Role::System, "The password of Ada's cat is secret-cat."),
        user("My cat is called Byron."),
        ChatMessage::text(Role::Assistant, "Your cat is a cat."),
        user("What is my cat called?"),
    ])
    .await;
    assert!(answer.contains("You: “My cat is called Byron.”"), "{answer}");
    assert!(!answer.contains("secret-cat") && !answer.contains("is a cat"), "{answer}");
}

#[tokio::test]
async fn scribe_quotes_context_in_the_message() {
    let message = "The moon is far. The sun is hot. Tea is green. How hot is the sun?";
    let answer = text(vec![user(message)]).await;
    assert!(answer.contains("Your message: “The sun is hot.”"), "{answer}");
}

#[tokio::test]
async fn scribe_reports_missing_material() {
    let answer = text(vec![user("Why?")]).await;
    assert!(answer.contains("Nothing came with your question, “Why?”"), "{answer}");
    assert!(text(vec![]).await.contains("Nothing came with your message"));
    let answer = text(with_file("Quantum chromodynamics?", "guide.txt", GUIDE)).await;
    assert!(answer.contains("Nothing here shares a word") && answer.contains("guide.txt: “"));
}

#[tokio::test]
async fn scribe_answer_has_the_requested_length() {
    for length in [1, 2, 17, 400, 5_000] {
        for messages in [vec![], vec![user("Why?")], with_file("Bergen?", "guide.txt", GUIDE)] {
            let (_, usage, reason) = said(messages, json!({"length": length})).await;
            assert_eq!((usage.output_tokens, reason), (length, FinishReason::Stop));
        }
    }
}

#[tokio::test]
async fn scribe_is_deterministic() {
    let messages = || with_file("When does Bergen open?", "guide.txt", GUIDE);
    let first = said(messages(), json!({"length": 700})).await;
    assert_eq!(said(messages(), json!({"length": 700})).await, first);
    let shorter = said(messages(), json!({"length": 300})).await.0;
    assert!(first.0.starts_with(&shorter), "a longer answer begins as a shorter one");
}

#[tokio::test]
async fn scribe_token_limit_cuts_the_answer() {
    let messages = || vec![user("Why?")];
    let (_, usage, reason) = said(messages(), json!({"max_tokens": 5})).await;
    assert_eq!((usage.output_tokens, reason), (5, FinishReason::Length));
    let (_, usage, reason) = said(messages(), json!({"length": 5, "max_tokens": 5})).await;
    assert_eq!((usage.output_tokens, reason), (5, FinishReason::Stop));
}

#[tokio::test]
async fn scribe_counts_words_as_tokens() {
    let messages = with_file("Two words", "a.txt", "three more words");
    assert_eq!(said(messages, json!({})).await.1.input_tokens, 5);
}

#[tokio::test]
async fn scribe_rejects_invalid_settings() {
    let refused = Scribe.stream(request(vec![], json!({"length": 100_001}))).await;
    assert!(refused.is_err_and(|e| !e.retryable() && e.message.contains("length")));
}

#[tokio::test]
async fn scribe_calls_a_tool_and_answers_from_its_result() {
    let mut request = request(vec![user("Use clock with {\"zone\": \"UTC\"}")], json!({}));
    request.tools.push(ToolSpec {
        name: "clock".into(),
        description: String::new(),
        parameters: json!({}),
        ..ToolSpec::default()
    });
    let called = deltas(request.clone()).await;
    let [ChatDelta::ToolCallStart { index: 0, call_id, name }, rest @ ..] = &called[..] else {
        panic!("{called:?}")
    };
    let mut arguments = String::new();
    for delta in rest {
        if let ChatDelta::ToolCallArguments { index: 0, delta } = delta {
            arguments.push_str(delta);
        }
    }
    assert_eq!((name.as_str(), arguments.as_str()), ("clock", "{\"zone\":\"UTC\"}"));
    assert_eq!(called.last(), Some(&ChatDelta::Finish(FinishReason::ToolCalls)));

    let call = crate::chat::ToolCall { call_id: call_id.clone(), name: name.clone(), arguments };
    let mut turn = ChatMessage::text(Role::Assistant, "");
    turn.tool_calls.push(call);
    let result = ChatMessage::tool_result(call_id, "{\"time\":\"12:00\",\"zone\":\"UTC\"}");
    request.messages.extend([turn, result]);
    let answer = text(request.messages).await;
    assert!(answer.starts_with("clock: time 12:00, zone UTC"), "{answer}");
}

#[tokio::test]
async fn scribe_yields_during_a_long_answer() {
    let mut stream = Scribe.stream(request(vec![], json!({"length": 2_000}))).await.unwrap();
    let mut pauses = 0;
    loop {
        let polled = futures::poll!(stream.next());
        match polled {
            std::task::Poll::Pending => pauses += 1,
            std::task::Poll::Ready(None) => break,
            std::task::Poll::Ready(Some(delta)) => drop(delta.unwrap()),
        }
    }
    assert!(pauses >= 10, "{pauses}");
}

#[tokio::test]
async fn scribe_respects_the_pace() {
    let begin = std::time::Instant::now();
    said(vec![], json!({"length": 4, "pace_ms": 10})).await;
    assert!(begin.elapsed() >= std::time::Duration::from_millis(30));
}

#[tokio::test]
async fn scribe_searches_large_material() {
    let filler = "Nothing of note happened on that day in the harbour. ".repeat(8_000);
    let body = format!("{filler}The lighthouse keeper was called Ingrid. {filler}");
    let answer = text(with_file("Who kept the lighthouse?", "log.txt", &body)).await;
    assert!(answer.contains("Ingrid"), "{answer}");
}

#[tokio::test]
async fn scribe_continues_an_incomplete_answer() {
    let question = vec![user("What do tides follow? Tides follow the moon. Cats sleep. Bread rises.")];
    for parameters in [json!({}), json!({"length": 90})] {
        let (whole, usage, _) = said(question.clone(), parameters.clone()).await;
        let parts: Vec<&str> = whole.split_inclusive(char::is_whitespace).collect();
        for cut in 1..parts.len() {
            let before = parts[..cut].concat();
            let before = before.trim_end();
            let mut messages = question.clone();
            messages.push(ChatMessage::text(Role::Assistant, before));
            let (rest, more, _) = said(messages, parameters.clone()).await;
            assert_eq!(format!("{before}{rest}"), whole, "cut after {before:?}");
            assert_eq!(words(before) + more.output_tokens, usage.output_tokens);
        }
    }
}
