//! Go's text templates, as in `-o go-template`: parsed once, then executed on objects.
//!
//! `lex` makes tokens, `parse` a tree of `node`s, `exec` executes it; `value` has the values of templates, `funcs`
//! their functions, `printf` and `number` format and parse values. The texts of errors are Go's.

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

/// The name that kubectl gives the template, which errors contain.
const NAME: &str = "output";

/// A parsed template with the templates that it defines.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    named: BTreeMap<String, Vec<node::Node>>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Go's error: `template: output:1: ...`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let named = parse::parse(text)?;
        let text = text.to_owned();
        Ok(Self { text, named })
    }

    /// Executes the template. An error includes the output written before it.
    ///
    /// # Errors
    /// Go's error: `template: output:1:2: executing ...`.
    pub fn fill(&self, data: &Value, allow_missing: bool) -> Result<String, (String, String)> {
        exec::run(&self.text, &self.named, data, allow_missing)
    }
}
