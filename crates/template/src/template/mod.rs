//! Go's text templates, as in `-o go-template`: parsed once, then executed on objects.
//!
//! `lex` splits a template into tokens, `parse` builds a tree of `node`s, and `exec` executes the tree. `value`
//! contains the values of templates and `funcs` their functions; `printf` and `number` format and parse values. The
//! error texts are Go's.

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

/// The name that kubectl gives to the template; errors contain it.
const NAME: &str = "output";

/// A parsed template, with the templates defined in it.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    named: BTreeMap<String, Vec<node::Node>>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns Go's error: `template: output:1: ...`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let named = parse::parse(text)?;
        let text = text.to_owned();
        Ok(Self { text, named })
    }

    /// Executes the template. An error comes with the output written before it.
    ///
    /// # Errors
    /// Returns Go's error: `template: output:1:2: executing ...`.
    pub fn fill(&self, data: &Value, allow_missing: bool) -> Result<String, (String, String)> {
        exec::run(&self.text, &self.named, data, allow_missing)
    }
}
