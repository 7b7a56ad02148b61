//! Searches one index, and lists its documents.

use std::collections::{BTreeSet, HashMap};

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, Occur, Query, TermQuery, TermSetQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocSet, Score, Searcher, SegmentReader, TERMINATED, Term};

use super::LexicalQuery;
use super::schema::{DOCUMENT, Fields, NUMBER, Passages, key_of};
use crate::hit::{DocKey, Hit};
use crate::word_index::Open;
use crate::word_index::words::each_term;

/// The weight of a term in the headings relative to one in the text. Headings are short, so BM25 favours them already.
/// Determined by experiments on the open questions of the bench `knowledge`.
const HEADINGS: Score = 1.2;
/// The maximum number of distinct terms that are searched for. A pasted page is found by its beginning.
const TERMS: usize = 128;

/// Returns the best passages, from best to worst; ties are ordered by document and number.
pub(super) fn search(open: &Open<Passages>, query: &LexicalQuery) -> tantivy::Result<Vec<Hit>> {
    let terms = terms(&query.text);
    if terms.is_empty() || query.bases.is_empty() || query.limit == 0 {
        return Ok(Vec::new());
    }
    let searcher = open.reader.searcher();
    let all = searcher.num_docs().max(1);
    let limit = query.limit.min(usize::try_from(all).unwrap_or(usize::MAX));
    let question = question(&open.fields, &terms, query);
    let found = searcher.search(&question, &TopDocs::with_limit(limit).order_by_score())?;
    let mut hits = hits(&searcher, found)?;
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.document, a.number).cmp(&(b.document, b.number)))
    });
    Ok(hits)
}

/// The first distinct terms of a question.
fn terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    each_term(text, &mut |term| {
        if terms.len() < TERMS && !terms.contains(term) {
            terms.insert(term.to_owned());
        }
    });
    terms
}

/// A query for any of the terms, in any of the bases. The bases do not affect the score.
fn question(fields: &Fields, terms: &BTreeSet<String>, query: &LexicalQuery) -> BooleanQuery {
    let term = |field: Field, text: &String| -> Box<dyn Query> {
        Box::new(TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::WithFreqs))
    };
    let in_text = terms.iter().map(|text| (Occur::Should, term(fields.text, text)));
    let in_headings = terms.iter().map(|text| -> (Occur, Box<dyn Query>) {
        (Occur::Should, Box::new(BoostQuery::new(term(fields.headings, text), HEADINGS)))
    });
    let words = BooleanQuery::new(in_text.chain(in_headings).collect());
    let mut bases = query.bases.iter().map(|base| fields.base_term(base));
    let bases: Box<dyn Query> = match (bases.next(), query.bases.len()) {
        (Some(one), 1) => Box::new(TermQuery::new(one, IndexRecordOption::Basic)),
        (first, _) => Box::new(TermSetQuery::new(first.into_iter().chain(bases))),
    };
    let bases = ConstScoreQuery::new(bases, 0.0);
    BooleanQuery::new(vec![(Occur::Must, Box::new(words)), (Occur::Must, Box::new(bases))])
}

fn hits(searcher: &Searcher, found: Vec<(Score, DocAddress)>) -> tantivy::Result<Vec<Hit>> {
    let mut hits = Vec::with_capacity(found.len());
    let mut bytes = Vec::new();
    for (score, address) in found {
        let columns = searcher.segment_reader(address.segment_ord).fast_fields();
        let number = columns.u64(NUMBER)?.first(address.doc_id).and_then(|number| u32::try_from(number).ok());
        let Some(documents) = columns.bytes(DOCUMENT)? else {
            continue;
        };
        bytes.clear();
        if let Some(ord) = documents.term_ords(address.doc_id).next() {
            documents.ord_to_bytes(ord, &mut bytes)?;
        }
        if let (Some(document), Some(number)) = (key_of(&bytes), number) {
            hits.push(Hit { document, number, score });
        }
    }
    Ok(hits)
}

/// Returns the documents with the number of their passages.
pub(super) fn documents(open: &Open<Passages>) -> tantivy::Result<HashMap<DocKey, u32>> {
    let searcher = open.reader.searcher();
    let mut documents = HashMap::new();
    for segment in searcher.segment_readers() {
        count(segment, open.fields.document, &mut documents)?;
    }
    Ok(documents)
}

fn count(segment: &SegmentReader, field: Field, documents: &mut HashMap<DocKey, u32>) -> tantivy::Result<()> {
    let inverted = segment.inverted_index(field)?;
    let mut terms = inverted.terms().stream()?;
    while terms.advance() {
        let Some(document) = key_of(terms.key()) else {
            continue;
        };
        let mut entries = inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
        let mut passages = 0;
        if segment.has_deletes() {
            while entries.doc() != TERMINATED {
                passages += u32::from(!segment.is_deleted(entries.doc()));
                entries.advance();
            }
        } else {
            passages = entries.doc_freq();
        }
        if passages > 0 {
            *documents.entry(document).or_insert(0) += passages;
        }
    }
    Ok(())
}
