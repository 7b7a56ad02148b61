//! Searches one index.

use std::ops::Bound;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, Query, RangeQuery, TermQuery, TermSetQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, Order, Searcher, Term};
use uuid::Uuid;

use super::layout::{Fields, KEY, Messages, ORDER, key_of};
use super::{MessageHit, MessageQuery};
use crate::word_index::Open;

/// Returns the newest messages, in descending order.
pub(super) fn search(open: &Open<Messages>, query: &MessageQuery) -> tantivy::Result<Vec<MessageHit>> {
    let in_nothing = query.owner.is_none() && query.conversations.is_empty();
    let searcher = open.reader.searcher();
    let all = usize::try_from(searcher.num_docs()).unwrap_or(usize::MAX);
    if query.words.is_empty() || in_nothing || query.limit == 0 || all == 0 {
        return Ok(Vec::new());
    }
    let question = question(&open.fields, query);
    let mut limit = query.limit.min(all);
    loop {
        let newest = TopDocs::with_limit(limit).order_by_u64_field(ORDER, Order::Desc);
        let found = searcher.search(&question, &newest)?;
        let is_complete = found.len() < limit || limit == all;
        let mut hits = hits(&searcher, found)?;
        hits.sort_unstable_by(|a, b| b.cmp(a));
        if is_complete {
            return Ok(hits);
        }
        // Further messages may have the order of the last one. They belong before those that are older.
        let last = hits.last().map(|hit| hit.order);
        let certain = hits.iter().take_while(|hit| Some(hit.order) != last).count();
        if certain > 0 {
            hits.truncate(certain);
            return Ok(hits);
        }
        limit = limit.saturating_mul(2).min(all);
    }
}

fn question(fields: &Fields, query: &MessageQuery) -> BooleanQuery {
    let one_of = |terms: Vec<Term>| -> Box<dyn Query> {
        match <[Term; 1]>::try_from(terms) {
            Ok([one]) => Box::new(TermQuery::new(one, IndexRecordOption::Basic)),
            Err(several) => Box::new(TermSetQuery::new(several)),
        }
    };
    let words = query.words.requirements().iter();
    let words =
        words.map(|terms| terms.iter().map(|term| Term::from_field_text(fields.text, term)).collect());
    let mut conditions: Vec<Box<dyn Query>> = words.map(one_of).collect();
    let owner = query.owner.map(|id| Term::from_field_bytes(fields.owner, id.as_bytes()));
    let within = |id: &Uuid| Term::from_field_bytes(fields.conversation, id.as_bytes());
    let conversations: Vec<Term> = query.conversations.iter().map(within).collect();
    conditions.push(one_of(owner.into_iter().chain(conversations).collect()));
    if !query.roles.is_empty() {
        conditions
            .push(one_of(query.roles.iter().map(|role| Term::from_field_u64(fields.role, *role)).collect()));
    }
    let order = |order| Bound::Included(Term::from_field_u64(fields.order, order));
    if query.orders != (0, u64::MAX) {
        conditions.push(Box::new(RangeQuery::new(order(query.orders.0), order(query.orders.1))));
    }
    let condition =
        |query| -> (Occur, Box<dyn Query>) { (Occur::Must, Box::new(ConstScoreQuery::new(query, 0.0))) };
    BooleanQuery::new(conditions.into_iter().map(condition).collect())
}

fn hits(searcher: &Searcher, found: Vec<(Option<u64>, DocAddress)>) -> tantivy::Result<Vec<MessageHit>> {
    let mut hits = Vec::with_capacity(found.len());
    let mut bytes = Vec::new();
    for (order, address) in found {
        let Some(keys) = searcher.segment_reader(address.segment_ord).fast_fields().bytes(KEY)? else {
            continue;
        };
        bytes.clear();
        if let Some(ord) = keys.term_ords(address.doc_id).next() {
            keys.ord_to_bytes(ord, &mut bytes)?;
        }
        if let (Some(key), Some(order)) = (key_of(&bytes), order) {
            hits.push(MessageHit { order, key });
        }
    }
    Ok(hits)
}
