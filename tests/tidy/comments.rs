//! Doc comments must say more than the names of the items they document.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};

use super::{ALL, sources};

/// Words without information of their own.
const EMPTY_WORDS: &str = "a an the its of this it is as to in for that which by with their all what how be are was on at from or \
                           and one own has have if any each";
/// Comments with more words than this are accepted, even if all words occur in the name.
const LONGEST: usize = 5;

#[test]
fn doc_comments_do_not_repeat_names() {
    let mut repeated = Vec::new();
    for (path, text) in sources(&ALL) {
        // The comments of command-line arguments are the help texts.
        if path.starts_with("src/cli") {
            continue;
        }
        let file = syn::parse_file(&text).expect("a Rust file");
        let mut comments = Comments { within: BTreeSet::new(), repeated: Vec::new() };
        comments.visit_file(&file);
        repeated
            .extend(comments.repeated.into_iter().map(|comment| format!("{}: {comment}", path.display())));
    }
    assert!(repeated.is_empty(), "these comments repeat a name: {repeated:#?}");
}

struct Comments {
    /// The words of the type that an item belongs to.
    within: BTreeSet<String>,
    repeated: Vec<String>,
}

impl Comments {
    /// Records the comment of `name` if it is one line of words that occur in the name, in `types` or in the type around
    /// it.
    fn check(&mut self, attributes: &[syn::Attribute], name: &syn::Ident, types: BTreeSet<String>) {
        let mut docs = attributes.iter().filter_map(doc);
        let (Some(comment), None) = (docs.next(), docs.next()) else { return };
        // Comments of errors and schemas are shown to users, and those of arguments and commands are read by macros.
        let has_purpose = |attribute: &syn::Attribute| {
            ["error", "arg", "command"].iter().any(|name| attribute.path().is_ident(name))
                || is_schema(attribute)
        };
        if comment.contains(|c: char| c == '`' || c.is_ascii_digit()) || attributes.iter().any(has_purpose) {
            return;
        }
        let empty = words(EMPTY_WORDS);
        let said: BTreeSet<_> = words(&comment).difference(&empty).cloned().collect();
        let known: BTreeSet<_> =
            words(&name.to_string()).into_iter().chain(types).chain(self.within.clone()).collect();
        if said.len() <= LONGEST && said.is_subset(&known) {
            self.repeated.push(format!("{name}: {}", comment.trim()));
        }
    }

    fn within(&mut self, name: BTreeSet<String>, look: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.within, name);
        look(self);
        self.within = outer;
    }
}

impl<'ast> Visit<'ast> for Comments {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.check(&item.attrs, &item.ident, BTreeSet::new());
        self.within(words(&item.ident.to_string()), |comments| visit::visit_item_struct(comments, item));
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.check(&item.attrs, &item.ident, BTreeSet::new());
        self.within(words(&item.ident.to_string()), |comments| visit::visit_item_enum(comments, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.within(names(|names| names.visit_type(&item.self_ty)), |comments| {
            visit::visit_item_impl(comments, item)
        });
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.check(&field.attrs, name, names(|names| names.visit_type(&field.ty)));
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.check(&variant.attrs, &variant.ident, names(|names| names.visit_fields(&variant.fields)));
        visit::visit_variant(self, variant);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        // The comment of an operation is its description.
        if !item.attrs.iter().any(|attribute| attribute.path().segments.iter().any(|it| it.ident == "utoipa"))
        {
            self.check(&item.attrs, &item.sig.ident, BTreeSet::new());
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.check(&item.attrs, &item.sig.ident, BTreeSet::new());
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.check(&item.attrs, &item.ident, names(|names| names.visit_type(&item.ty)));
    }
}

/// The names in a type, as words.
struct Names(BTreeSet<String>);

impl Visit<'_> for Names {
    fn visit_ident(&mut self, name: &syn::Ident) {
        self.0.extend(words(&name.to_string()));
    }
}

fn names(look: impl FnOnce(&mut Names)) -> BTreeSet<String> {
    let mut names = Names(BTreeSet::new());
    look(&mut names);
    names.0
}

fn doc(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    match (&pair.value, pair.path.is_ident("doc")) {
        (syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }), true) => Some(text.value()),
        _ => None,
    }
}

/// Whether the attribute derives a schema, whose description is the comment.
fn is_schema(attribute: &syn::Attribute) -> bool {
    let mut found = false;
    if attribute.path().is_ident("derive") {
        // A derive that does not parse does not compile.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta
                .path
                .segments
                .last()
                .is_some_and(|it| it.ident == "ToSchema" || it.ident == "IntoParams");
            Ok(())
        });
    }
    found
}

/// The words of a text or a name, without grammatical endings.
fn words(text: &str) -> BTreeSet<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if letter.is_alphabetic() { letter } else { ' ' });
        before = letter;
    }
    spaced.split_whitespace().map(|word| stem(&word.to_lowercase())).collect()
}

fn stem(word: &str) -> String {
    let stems =
        ["ings", "ing", "ies", "es", "s", "ed", "e", "y"].iter().filter_map(|end| word.strip_suffix(end));
    stems.filter(|stem| stem.len() >= 3).max_by_key(|stem| word.len() - stem.len()).unwrap_or(word).to_owned()
}
