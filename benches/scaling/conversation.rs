//! A long conversation.

use load::server::request;
use load::setup::{Interface, fill};
use load::target::form;
use load::{Ask, Figure, Outcome, Report, Setup, Side, Workload};
use serde_json::{Value, json};

use crate::cost::{cost, succeed};
use crate::{Pair, Sizes};

/// Messages of the small conversation: enough to fill the context window of the model, so that the prompts of both
/// sides have the same length.
const SMALL: u64 = 500;
const MESSAGE_BYTES: usize = 100;
/// Context window in tokens; at most sixteen bytes per token are read.
const WINDOW: &str = ", context_window = 2000";
const TIMES: usize = 100;
/// Number of times that a conversation is read in full.
const READS: usize = 5;

struct Conversation {
    id: String,
    messages: u64,
    /// The id of its second message.
    message: Value,
}

struct Stage {
    setup: Setup,
    conversations: Pair<Conversation>,
}

const WORKLOAD: Workload<Stage> = Workload {
    name: "conversation",
    sides: &Side::BOTH,
    checked: &[],
    measure: |stage, side| Box::pin(operations(stage, side)),
};

pub async fn measure(report: &mut Report, sizes: &Sizes) -> Outcome<()> {
    if !report.wants(&WORKLOAD) {
        return Ok(());
    }
    let interface = Interface::Conversations { wire: "events".to_owned() };
    let unlimited = [("UNDERSTUDY_LIMITS__CONVERSATION_MESSAGES", "0")];
    let setup = Setup::with(interface, WINDOW, &unlimited).await?;
    let conversations =
        Pair { small: make(&setup, SMALL).await?, large: make(&setup, sizes.conversation).await? };
    report.measure(&mut Stage { setup, conversations }, &WORKLOAD).await
}

async fn make(setup: &Setup, messages: u64) -> Outcome<Conversation> {
    let id = setup.conversations(1).await?.swap_remove(0);
    let answer = fill(&setup.server, &id, messages, MESSAGE_BYTES).await?;
    let message = answer["messages"][1]["id"].clone();
    Ok(Conversation { id, messages, message })
}

async fn operations(stage: &Stage, side: Side) -> Outcome<Vec<Figure>> {
    let (server, one) = (&stage.setup.server, stage.conversations.of(side));
    let path = format!("/api/conversations/{}", one.id);
    let rating = json!({"message_id": one.message, "feedback": {"rating": "up"}});
    let rate = cost(server, TIMES, async |connection| {
        server.call_on(connection, "PUT", &format!("{path}/message"), &rating).await.map(drop)
    });
    let rate = rate.await?.rows("conversation_rate", "rating a message of a long conversation");
    let whole = request("GET", &path, &[("authorization", &server.authorization)], &[]);
    let read = cost(server, READS, async |connection| succeed(connection, &whole).await.map(drop));
    let read = read.await?.per(one.messages);
    let read = read.rows("conversation_read", "reading a long conversation, per message");
    // Last, because each completion makes the conversation longer by two messages.
    let ask = form(&one.id, &server.authorization, "events", &Ask::plain());
    let complete = cost(server, TIMES, async |connection| succeed(connection, &ask).await.map(drop));
    let complete = complete.await?.rows("conversation_completion", "complete answer in a long conversation");
    Ok(complete.into_iter().chain(rate).chain(read).collect())
}
