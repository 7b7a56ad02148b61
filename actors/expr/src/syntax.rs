//! Parses texts with minijinja's parser, within limits that protect the parser itself.

use minijinja::machinery::{Token, ast, parse, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::error::TemplateError;
use super::lower::Lowering;
use super::program::{Program, References};

/// Maximum size in bytes of a text with expressions.
const LENGTH: usize = 256 * 1024;
/// Maximum number of tokens in one tag, and of tags that are statements. The parser recurses on some of both without a
/// limit, and so does dropping its result.
const TAG_TOKENS: usize = 400;
const STATEMENTS: usize = 200;

/// Parses a text. Returns `None` if it contains neither expressions nor statements.
pub(super) fn read(text: &str, references: &mut References) -> Result<Option<Program>, TemplateError> {
    if !["{{", "{%", "{#"].iter().any(|mark| text.contains(mark)) {
        return Ok(None);
    }
    if text.len() > LENGTH {
        return Err(TemplateError(format!("a template has at most {} KiB", LENGTH / 1024)));
    }
    // A trailing line break is preserved.
    let syntax =
        SyntaxConfig::builder().keep_trailing_newline(true).build().map_err(|error| fault(&error))?;
    check_size(text, syntax.clone())?;
    let tree = parse(text, "template", syntax).map_err(|error| fault(&error))?;
    let ast::Stmt::Template(template) = &tree else {
        return Err(TemplateError("is no template".into()));
    };
    let mut lowering = Lowering::new(references);
    Ok(Some(match template.children.as_slice() {
        [ast::Stmt::EmitExpr(emit)] => Program::Expression(lowering.expression(&emit.expr)?),
        children => Program::Text(lowering.statements(children)?),
    }))
}

fn check_size(text: &str, syntax: SyntaxConfig) -> Result<(), TemplateError> {
    let (mut tokens, mut statements) = (0, 0);
    for token in tokenize(text, false, syntax) {
        let (token, _) = token.map_err(|error| fault(&error))?;
        tokens += 1;
        match token {
            Token::BlockStart => (tokens, statements) = (0, statements + 1),
            Token::VariableStart => tokens = 0,
            _ => {}
        }
        if tokens > TAG_TOKENS {
            return Err(TemplateError("an expression is too long".into()));
        }
        if statements > STATEMENTS {
            return Err(TemplateError(format!("a template has at most {STATEMENTS} statements")));
        }
    }
    Ok(())
}

fn fault(error: &minijinja::Error) -> TemplateError {
    let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    TemplateError(match error.line() {
        Some(line) if line > 1 => format!("{what} (line {line})"),
        _ => what,
    })
}
