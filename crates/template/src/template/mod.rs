//! Go's text templates, as `-o go-template` runs them: parsed once, then filled in from objects.
//!
//! `lex` makes tokens, `parse` a tree of `node`s, `exec` walks it; `value` is what templates compute with, `funcs` are
//! the functions that they call, `printf` and `number` write and read values. The texts of errors are Go's.

mod escape;
mod exec;
mod funcs;
mod lex;
mod node;
mod number;
mod parse;
mod printf;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;

use crate::api::json::Value;

/// The name that kubectl gives the template, which its errors mention.
const NAME: &str = "output";

/// A parsed template with those that it defines.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    named: BTreeMap<String, Vec<node::Node>>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// What Go says of it: `template: output:1: ...`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let named = parse::parse(text)?;
        let text = text.to_owned();
        Ok(Self { text, named })
    }

    /// Fills the template in. A failure comes with what was written before it.
    ///
    /// # Errors
    /// What Go says: `template: output:1:2: executing ...`.
    pub fn fill(&self, data: &Value, allow_missing: bool) -> Result<String, (String, String)> {
        exec::run(&self.text, &self.named, data, allow_missing)
    }
}
