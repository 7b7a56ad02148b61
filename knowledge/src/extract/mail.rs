//! Reads emails and their attachments.

use super::html::render;
use super::pages::{Limits, Outcome, Pages};
use super::read::read_at;
use super::{ExtractError, Hint};
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};

/// The maximum number of attachments that are read.
const MAX_ATTACHMENTS: usize = 100;

/// Reads an email as one page, followed by the pages of its readable attachments.
pub(super) fn read(bytes: &[u8], depth: u32, pages: &mut Pages) -> Outcome {
    let mail = MessageParser::default().parse(bytes);
    let mail = mail.ok_or_else(|| ExtractError::damaged("the file is not an e-mail"))?;
    if let Some(subject) = mail.subject() {
        pages.call(subject);
    }
    let mut text = head(&mail);
    let body = body(&mail, pages)?;
    if text.len() + body.len() > pages.room() {
        return Err(pages.too_much_text());
    }
    text.push_str(&body);
    let names: Vec<String> = mail.attachments().take(MAX_ATTACHMENTS).map(|part| name_of(part)).collect();
    if !names.is_empty() {
        text.push_str(&format!("\n\nAttachments: {}", names.join(", ")));
    }
    pages.push(None, text.trim().to_owned())?;
    if depth == 0 {
        attachments(&mail, &names, pages)?;
    }
    Ok(())
}

fn name_of(part: &mail_parser::MessagePart<'_>) -> String {
    part.attachment_name().map(one_line).filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".into())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect()
}

/// The header lines with the sender, the recipients and the subject.
fn head(mail: &Message<'_>) -> String {
    let mut head = String::new();
    if let Some(subject) = mail.subject() {
        head.push_str(&format!("# {}\n\n", one_line(subject)));
    }
    for (name, address) in [("From", mail.from()), ("To", mail.to()), ("Cc", mail.cc())] {
        if let Some(people) = address.map(people).filter(|people| !people.is_empty()) {
            head.push_str(&format!("{name}: {people}\n"));
        }
    }
    if let Some(date) = mail.date() {
        head.push_str(&format!("Date: {}\n", date.to_rfc3339()));
    }
    head.push('\n');
    head
}

fn people(address: &Address<'_>) -> String {
    let person = |person: &mail_parser::Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => format!("{} <{}>", one_line(name), one_line(address)),
        (Some(one), None) | (None, Some(one)) => one_line(one),
        (None, None) => String::new(),
    };
    let all: Vec<String> = address.iter().take(200).map(person).filter(|person| !person.is_empty()).collect();
    all.join(", ")
}

/// The plain text of the email, or otherwise the text of its HTML.
fn body(mail: &Message<'_>, pages: &Pages) -> Outcome<String> {
    let mut plain = String::new();
    for &id in &mail.text_body {
        match mail.part(id).map(|part| &part.body) {
            Some(PartType::Text(text)) => plain.push_str(text),
            Some(PartType::Html(html)) => plain.push_str(&render(html, pages)?.1),
            _ => {}
        }
        plain.push('\n');
        if plain.len() > pages.room() {
            return Err(pages.too_much_text());
        }
    }
    if plain.trim().is_empty() {
        for &id in &mail.html_body {
            if let Some(PartType::Html(html)) = mail.part(id).map(|part| &part.body) {
                plain.push_str(&render(html, pages)?.1);
            }
        }
    }
    Ok(plain.replace("\r\n", "\n").trim().to_owned())
}

fn attachments(mail: &Message<'_>, names: &[String], pages: &mut Pages) -> Outcome {
    for (part, name) in mail.attachments().zip(names) {
        let media_type = part.content_type().map(|kind| match kind.subtype() {
            Some(subtype) => format!("{}/{subtype}", kind.ctype()),
            None => kind.ctype().to_owned(),
        });
        let hint = Hint { filename: name.clone(), media_type: media_type.unwrap_or_default() };
        let limits =
            Limits { text_bytes: pages.room() as u64, unpacked_bytes: pages.unpackable(), ..pages.limits };
        let inner = match &part.body {
            PartType::Message(inner) => read_at(inner.raw_message(), &hint, limits, 1),
            _ => read_at(part.contents(), &hint, limits, 1),
        };
        match inner {
            Ok(inner) => pages.adopt(name, inner)?,
            Err(why) if why.kind == super::ExtractErrorKind::TooLarge => return Err(why),
            // Attachments that cannot be read are only listed by name.
            Err(_) => {}
        }
    }
    Ok(())
}
