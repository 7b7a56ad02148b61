//! Skills: instructions and functions that assistants and conversations can use.

mod change;
mod list;
mod users;

pub use change::{
    Created, SkillBundle, SkillInput, change, content, create, delete, set_catalog_metadata, set_picture,
};
pub use list::{SkillFilter, list};
pub use users::{assistants_using, conversations_using};
