//! Files of office programs: archives of XML.

pub(super) mod docx;
pub(super) mod odf;
pub(super) mod package;
pub(super) mod pptx;
pub(super) mod sheets;
mod styles;
