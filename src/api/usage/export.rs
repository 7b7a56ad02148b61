//! A CSV table of each user's daily usage, generated while it is streamed.

use crate::http::ErrorResponse;
use std::collections::BTreeMap;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::principals;
use domain::usage::{Filter, Tally};
use futures::{Stream, StreamExt, stream};
use storage::records::ledger;
use storage::records::usage::Spend;
use storage::{Reader, Store, TenantId};
use uuid::Uuid;

use super::Period;
use crate::api::money::dollars;
use crate::http::Api;
use crate::http::csv::CsvPart;

/// Number of users in one part of the table.
const USERS: usize = 100;

const HEADER: [&str; 13] = [
    "day",
    "user_id",
    "email",
    "name",
    "requests",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "cost_nanos",
    "billable_nanos",
    "cost",
    "billable_cost",
];

/// Streams the table, sorted by user and then by day. A failure in the first part is returned as an error; a
/// later failure aborts the stream.
pub async fn stream(
    store: Store,
    tenant: TenantId,
    period: Period,
) -> Api<impl Stream<Item = Result<Bytes, actix_web::Error>>> {
    let mut table = Table { store, tenant, period, after: None, begun: false, done: false };
    let first = table.part().await?;
    let rest = stream::unfold(table, |mut table| async {
        match table.done {
            true => None,
            false => {
                let part = table.part().await;
                if let Err(why) = &part {
                    tracing::warn!(?why, "the export of a table of costs failed");
                }
                Some((part.map_err(|why| ErrorResponse(why).into()), table))
            }
        }
    });
    Ok(stream::iter([Ok(first)]).chain(rest))
}

/// The position in the table up to which it has been written.
struct Table {
    store: Store,
    tenant: TenantId,
    period: Period,
    /// The last user who has been written.
    after: Option<Uuid>,
    begun: bool,
    done: bool,
}

impl Table {
    async fn part(&mut self) -> Api<Bytes> {
        let (tenant, period, after, begun) = (self.tenant, self.period.clone(), self.after, self.begun);
        let part = self.store.read(move |reader| part(reader, tenant, &period, after, begun)).await;
        // After an error the stream ends.
        self.done = true;
        let (bytes, last) = part?;
        (self.after, self.begun, self.done) = (last, true, last.is_none());
        Ok(bytes)
    }
}

/// The lines of the next users, and the last of these users if there may be more.
fn part(
    reader: &Reader,
    tenant: TenantId,
    period: &Period,
    mut after: Option<Uuid>,
    begun: bool,
) -> Api<(Bytes, Option<Uuid>)> {
    let mut csv = CsvPart::default();
    if !begun {
        csv.line(HEADER)?;
    }
    for _ in 0..USERS {
        after = ledger::next_user(reader, tenant, after)?;
        let Some(user) = after else { break };
        let days = Tally::of_user(reader, tenant, user, period, &Filter::default())?.days;
        lines(&mut csv, reader, tenant, user, days)?;
    }
    Ok((csv.into_bytes()?.into(), after))
}

fn lines(
    csv: &mut CsvPart,
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    days: BTreeMap<NaiveDate, Spend>,
) -> Api<()> {
    if days.is_empty() {
        return Ok(());
    }
    let account = principals::member(reader, tenant, user)?.unwrap_or_default();
    let (id, email, name) = (user.to_string(), account.email, account.display_name);
    for (day, spend) in days {
        let numbers = [
            spend.requests,
            spend.input_tokens,
            spend.output_tokens,
            spend.cached_tokens,
            spend.reasoning_tokens,
            spend.cost_nanos,
            spend.billable_nanos,
        ];
        let day = day.to_string();
        let numbers = numbers.map(|number| number.to_string());
        let money = [dollars(spend.cost_nanos), dollars(spend.billable_nanos)];
        let texts = [day.as_str(), &id, &email, &name];
        csv.line(texts.into_iter().chain(numbers.iter().chain(&money).map(String::as_str)))?;
    }
    Ok(())
}
