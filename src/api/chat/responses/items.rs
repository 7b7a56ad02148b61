//! The input of a response, as items of the Responses API.

use actix_web::web::Data;
use assist::completion::ClientInput;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use providers::{ChatMessage, Content, Role};
use serde_json::{Value, json};
use uuid::Uuid;

use super::schema::{HowToList, ItemOrder, ResponseId, ResponseItemList};
use super::stored::find;
use crate::App;
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Json, Path, Query, Refusal, operations};

/// List the input items of a response.
#[utoipa::path(get, path = "/api/chat/partner_compatible/responses/{response_id}/input_items", params(("response_id" = String, Path), HowToList))]
async fn list_response_input_items(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(id): Path<ResponseId>,
    Query(how): Query<HowToList>,
) -> Api<Json<ResponseItemList>> {
    let stored = find(&app, &auth.caller(), &id).await?;
    page(stored.snapshot.run.id, &stored.brought, &how).map(Json)
}

/// Returns one page of the items.
fn page(run: Uuid, brought: &ClientInput, how: &HowToList) -> Api<ResponseItemList> {
    let messages = brought.messages.iter().skip(brought.before).enumerate();
    let mut all: Vec<Value> = messages.flat_map(|(at, message)| items(run, at, message)).collect();
    if how.order == ItemOrder::Desc {
        all.reverse();
    }
    let begin = match &how.after {
        None => 0,
        Some(after) => {
            1 + all.iter().position(|item| item["id"] == after.as_str()).ok_or_else(|| {
                let msg = format!("{after:?} is not an item of this response");
                Refusal::invalid("query", ["after"], msg, "not_found")
            })?
        }
    };
    let mut data = all.split_off(begin);
    let has_more = data.len() > how.limit();
    data.truncate(how.limit());
    let id_of = |item: Option<&Value>| item.and_then(|item| item["id"].as_str().map(str::to_owned));
    let (first_id, last_id) = (id_of(data.first()), id_of(data.last()));
    Ok(ResponseItemList { object: "list", data, first_id, last_id, has_more })
}

/// Converts a message to items of the Responses API.
fn items(run: Uuid, at: usize, message: &ChatMessage) -> Vec<Value> {
    let id = |kind: &str, more: usize| format!("{kind}_{}_in_{at}_{more}", run.simple());
    if let (Role::Tool, Some(call_id)) = (message.role, &message.tool_call_id) {
        return vec![json!({"id": id("fco", 0), "type": "function_call_output", "call_id": call_id,
            "output": message.plain_text(), "status": "completed"})];
    }
    let role = match message.role {
        Role::System => "system",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    };
    let message_item = (!message.content.is_empty()).then(|| {
        let content: Vec<Value> = message.content.iter().map(|content| part(role, content)).collect();
        json!({"id": id("msg", 0), "type": "message", "role": role, "content": content, "status": "completed"})
    });
    let calls = message.tool_calls.iter().enumerate().map(|(more, call)| {
        json!({"id": id("fc", more), "type": "function_call", "call_id": call.call_id, "name": call.name,
            "arguments": call.arguments, "status": "completed"})
    });
    message_item.into_iter().chain(calls).collect()
}

fn part(role: &str, content: &Content) -> Value {
    let words = |text: &Value| match role {
        "assistant" => json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []}),
        _ => json!({"type": "input_text", "text": text}),
    };
    let picture = |url: String, detail: &Option<String>| json!({"type": "input_image", "image_url": url, "detail": detail.as_deref().unwrap_or("auto")});
    match content {
        Content::Text(text) => words(&text.as_str().into()),
        Content::ImageUrl { url, detail } => picture(url.clone(), detail),
        Content::Image { media_type, data, detail } => {
            picture(format!("data:{media_type};base64,{}", STANDARD.encode(data)), detail)
        }
        Content::File { filename, .. } => json!({"type": "input_file", "filename": filename}),
        // Parts that were converted to the chat completions format are converted back.
        Content::Raw(raw) => match (raw["type"].as_str(), &raw["file"]) {
            (Some("text"), _) => words(&raw["text"]),
            (Some("file"), Value::Object(file)) => {
                let mut file = file.clone();
                file.insert("type".into(), "input_file".into());
                Value::Object(file)
            }
            _ => raw.clone(),
        },
    }
}

operations!(list_response_input_items with assistant);
