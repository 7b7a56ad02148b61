//! Filters for texts. Other values are converted to text first.

use serde_json::Value;

use super::super::args::FilterArgs;
use super::super::budget::Budget;
use super::super::error::TemplateError;
use super::super::val::Val;
use super::filter::{Filter, Outcome, alone, own, size};

pub(super) const FILTERS: &[Filter] = &[
    Filter { name: "upper", apply: upper },
    Filter { name: "lower", apply: lower },
    Filter { name: "title", apply: title },
    Filter { name: "capitalize", apply: capitalize },
    Filter { name: "trim", apply: trim },
    Filter { name: "replace", apply: replace },
    Filter { name: "split", apply: split },
    Filter { name: "lines", apply: lines },
    Filter { name: "truncate", apply: truncate },
    Filter { name: "indent", apply: indent },
    Filter { name: "urlencode", apply: urlencode },
];

/// Maximum indentation in spaces.
const INDENT: usize = 100;

/// Converts a text to a new text that is at most `times` as long.
fn transformed<'a>(
    input: Val<'a>,
    times: usize,
    budget: &mut Budget,
    make: impl FnOnce(&str) -> String,
) -> Outcome<Val<'a>> {
    let text = input.text(budget)?.into_owned();
    budget.bytes(text.len().saturating_mul(times))?;
    let output = make(&text);
    budget.text(output.len())?;
    own(output)
}

fn upper<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    transformed(input, 3, budget, str::to_uppercase)
}

fn lower<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    transformed(input, 3, budget, str::to_lowercase)
}

fn title<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    transformed(input, 3, budget, |text| {
        let mut output = String::with_capacity(text.len());
        let mut begins = true;
        for c in text.chars() {
            if begins {
                output.extend(c.to_uppercase())
            } else {
                output.extend(c.to_lowercase())
            }
            begins = !c.is_alphanumeric() && c != '\'';
        }
        output
    })
}

fn capitalize<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    transformed(input, 3, budget, |text| {
        let mut chars = text.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars.flat_map(char::to_lowercase)).collect()
    })
}

fn trim<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let chars = args.take("chars");
    args.finish()?;
    let chars =
        (!chars.is_nothing()).then(|| chars.text(budget)).transpose()?.map(|chars| chars.into_owned());
    if let Some(chars) = &chars {
        let text = input.text(budget)?;
        budget.steps(text.len().saturating_mul(chars.len()) / 64)?;
    }
    transformed(input, 1, budget, |text| match &chars {
        Some(chars) => text.trim_matches(|c| chars.contains(c)).to_owned(),
        None => text.trim().to_owned(),
    })
}

fn replace<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let (from, to) = (args.take("old"), args.take("new"));
    args.finish()?;
    let (from, to) = (from.text(budget)?.into_owned(), to.text(budget)?.into_owned());
    let text = input.text(budget)?.into_owned();
    if from.is_empty() {
        return Err(TemplateError("nothing cannot be replaced".into()));
    }
    let found = text.matches(from.as_str()).count();
    let len = (text.len() - found * from.len()).saturating_add(found.saturating_mul(to.len()));
    budget.text(len)?;
    own(text.replace(from.as_str(), &to))
}

fn split<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let (by, most) = (args.take("split"), args.take("maxsplits"));
    args.finish()?;
    let most = size(&most, usize::MAX)?;
    let text = input.text(budget)?.into_owned();
    if by.is_nothing() {
        return pieces(text.split_whitespace(), budget);
    }
    let by = by.text(budget)?.into_owned();
    if by.is_empty() {
        return Err(TemplateError("a text cannot be split by nothing".into()));
    }
    pieces(text.splitn(most.saturating_add(1), by.as_str()), budget)
}

fn lines<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    let text = input.text(budget)?.into_owned();
    pieces(text.lines(), budget)
}

fn pieces<'a, 't>(pieces: impl Iterator<Item = &'t str>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let mut list = Vec::new();
    for piece in pieces {
        budget.values(1)?;
        budget.bytes(piece.len())?;
        list.push(Value::from(piece));
    }
    own(list)
}

fn truncate<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let (length, kill, end) = (args.take("length"), args.take("killwords"), args.take("end"));
    args.finish()?;
    let length = size(&length, 255)?;
    let end = match end.is_nothing() {
        true => "...".to_owned(),
        false => end.text(budget)?.into_owned(),
    };
    budget.text(end.len())?;
    let text = input.text(budget)?.into_owned();
    if text.chars().count() <= length {
        return own(text);
    }
    let count = length.saturating_sub(end.chars().count());
    let cut: String = text.chars().take(count).collect();
    let cut = match (kill.is_true(), cut.rfind(char::is_whitespace)) {
        (false, Some(word)) => cut[..word].trim_end(),
        _ => cut.as_str(),
    };
    budget.text(cut.len() + end.len())?;
    own(format!("{cut}{end}"))
}

fn indent<'a>(input: Val<'a>, mut args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    let (width, first, blank) = (args.take("width"), args.take("first"), args.take("blank"));
    args.finish()?;
    let width = size(&width, 4)?;
    if width > INDENT {
        return Err(TemplateError(format!("at most {INDENT} spaces")));
    }
    let text = input.text(budget)?.into_owned();
    let indent = " ".repeat(width);
    let mut output = String::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        budget.steps(1)?;
        let indented = (at > 0 || first.is_true()) && (blank.is_true() || !line.trim().is_empty());
        output.push_str(if indented { &indent } else { "" });
        output.push_str(line);
        if output.len() > super::super::budget::TEXT {
            break;
        }
    }
    budget.text(output.len())?;
    own(output)
}

fn urlencode<'a>(input: Val<'a>, args: FilterArgs<'a>, budget: &mut Budget) -> Outcome<Val<'a>> {
    alone(args)?;
    transformed(input, 3, budget, |text| {
        let mut output = String::with_capacity(text.len());
        for byte in text.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    output.push(char::from(byte))
                }
                byte => output.push_str(&format!("%{byte:02X}")),
            }
        }
        output
    })
}
