//! Extracts the text of a file in memory, within this process.

use super::pages::{Limits, Outcome, Pages};
#[cfg(feature = "pdf")]
use super::pdf;
use super::sniff::{Format, sniff};
use super::{ExtractError, ExtractErrorKind as Kind, Extracted, Hint};
use super::{html, mail, office, rtf, table, text};

/// Reads a file in the current process. Used by the child, by tests and by fuzzing. Untrusted files must be read in the
/// child process, where time and memory are limited.
///
/// # Errors
/// The reason why the text could not be extracted.
pub fn read(bytes: &[u8], hint: &Hint, limits: Limits) -> Result<Extracted, ExtractError> {
    read_at(bytes, hint, limits, 0)
}

/// `depth` is the number of files that contain this one.
pub(super) fn read_at(bytes: &[u8], hint: &Hint, limits: Limits, depth: u32) -> Outcome<Extracted> {
    if bytes.is_empty() {
        return Err(ExtractError::new(Kind::Empty, "the file is empty"));
    }
    let format = sniff(bytes, hint)?;
    let mut pages = Pages::new(limits);
    match format {
        #[cfg(feature = "pdf")]
        Format::Pdf => pdf::read(bytes, &mut pages),
        #[cfg(not(feature = "pdf"))]
        Format::Pdf => Err(ExtractError::new(
            Kind::Unsupported,
            "PDF files are not read by this build, which lacks the feature `pdf`",
        )),
        Format::Docx => office::docx::read(bytes, &mut pages),
        Format::Pptx => office::pptx::read(bytes, &mut pages),
        Format::Xlsx => office::sheets::xlsx(bytes, &mut pages),
        Format::Xlsb => office::sheets::xlsb(bytes, &mut pages),
        Format::Xls => office::sheets::xls(bytes, &mut pages),
        Format::Odt | Format::Ods | Format::Odp => office::odf::read(bytes, &mut pages),
        Format::Html => html::read(bytes, &mut pages),
        Format::Markdown => text::markdown(bytes, &mut pages),
        Format::Csv => table::read(bytes, None, &mut pages),
        Format::Tsv => table::read(bytes, Some(b'\t'), &mut pages),
        Format::Json => text::json(bytes, &mut pages),
        Format::Rtf => rtf::read(bytes, &mut pages),
        Format::Mail => mail::read(bytes, depth, &mut pages),
        Format::Code(language) => text::code(bytes, language, &mut pages),
        Format::Xml | Format::Plain => text::plain(bytes, &mut pages),
    }?;
    if pages.is_blank() {
        let message = match format {
            Format::Pdf => {
                "the file contains no text; it seems to consist of images only, for example a scan"
            }
            _ => "the file contains no text",
        };
        return Err(ExtractError::new(Kind::Empty, message));
    }
    Ok(pages.finish(format.media_type()))
}
