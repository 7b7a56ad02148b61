//! Skills: instructions and functions that assistants and conversations can use.

mod change;
mod draft;
mod list;
mod users;

pub use change::{
    Created, SkillBundle, SkillInput, change, content, create, delete, set_catalog_metadata, set_picture,
};
pub use draft::with_build_state;
pub use list::{SkillFilter, list};
pub use users::{assistants_using, conversations_using};
