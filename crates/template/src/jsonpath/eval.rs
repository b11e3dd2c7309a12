//! Evaluates a template on an object.

use std::borrow::Cow;

use super::{Filter, Node, PathValue, Slice, compare};
use crate::api::go::{GoValue, type_name};
use crate::api::json::Value;

/// Returns the results of each node of a template.
pub(super) fn find<'a>(
    nodes: &[Node],
    object: &'a Value,
    allow_missing: bool,
) -> Result<Vec<Vec<PathValue<'a>>>, String> {
    // Loops are part of the evaluation's state rather than the tree, because `range` and `end` are words in the list
    // of nodes.
    let mut walk = Walk {
        allow_missing,
        ..Walk::default()
    };
    walk.run(nodes, 0, Cow::Borrowed(object))
}

/// The state of an evaluation with respect to loops.
#[derive(Default)]
struct Walk {
    allow_missing: bool,
    /// True if a `range` was found whose loop has not started.
    begins: bool,
    /// The number of running loops.
    depth: usize,
    /// True if an `end` was found whose loop has not ended.
    ends: bool,
    /// The index of the node that last ended a loop.
    last_end: Option<usize>,
}

type PathValues<'a> = Vec<PathValue<'a>>;

impl Walk {
    /// Runs the nodes from an index on, up to the end of the loop that contains them.
    fn run<'a>(
        &mut self,
        nodes: &[Node],
        from: usize,
        data: PathValue<'a>,
    ) -> Result<Vec<PathValues<'a>>, String> {
        let mut all = Vec::new();
        let mut at = from;
        while let Some(node) = nodes.get(at) {
            let found = self.walk(vec![data.clone()], node)?;
            // Cleared at once, because the end of an inner loop must not end the outer one.
            if std::mem::take(&mut self.ends) {
                self.last_end = Some(at);
                break;
            }
            if std::mem::take(&mut self.begins) {
                self.depth += 1;
                if found.is_empty() {
                    // Runs the body once on null to find its end.
                    self.run(nodes, at + 1, Cow::Owned(Value::Null))?;
                }
                for value in found {
                    all.extend(self.run(nodes, at + 1, value)?);
                }
                self.depth -= 1;
                // Continues after the end of the loop, which only running its body can find.
                at = self.last_end.filter(|end| *end > at).unwrap_or(at) + 1;
                continue;
            }
            all.push(found);
            at += 1;
        }
        Ok(all)
    }

    fn walk<'a>(&mut self, input: PathValues<'a>, node: &Node) -> Result<PathValues<'a>, String> {
        match node {
            Node::List(nodes) => self.walk_all(input, nodes),
            Node::Literal(value @ Value::String(_)) => Ok(vec![Cow::Owned(value.clone())]),
            // A number or boolean replaces each of the values before it.
            Node::Literal(value) => Ok(vec![Cow::Owned(value.clone()); input.len()]),
            Node::Field(name) => self.field(input, name),
            Node::Slice(slice) => sliced(&input, *slice),
            Node::Wildcard => Ok(input.iter().flat_map(children).collect()),
            Node::Recursive => Ok(descendants(input)),
            Node::Union(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.walk_all(input.clone(), part)?);
                }
                Ok(all)
            }
            Node::Filter(filter) => self.filtered(&input, filter),
            Node::Word(word) => self.word(input, word),
        }
    }

    fn walk_all<'a>(
        &mut self,
        input: PathValues<'a>,
        nodes: &[Node],
    ) -> Result<PathValues<'a>, String> {
        nodes
            .iter()
            .try_fold(input, |found, node| self.walk(found, node))
    }

    fn word<'a>(&mut self, input: PathValues<'a>, word: &str) -> Result<PathValues<'a>, String> {
        match word {
            "range" => {
                self.begins = true;
                Ok(input)
            }
            // An `end` outside a loop is an error; inside, it ends the innermost loop.
            "end" if self.depth > 0 => {
                self.ends = true;
                Ok(Vec::new())
            }
            "end" => Err("not in range, nothing to end".to_owned()),
            word => Err(format!("unrecognized identifier {word}")),
        }
    }

    fn field<'a>(&self, input: PathValues<'a>, name: &str) -> Result<PathValues<'a>, String> {
        if input.is_empty() {
            return Ok(input);
        }
        let found: PathValues<'a> = input
            .iter()
            .filter_map(|value| member(value, name))
            .collect();
        // kubectl reports an error only if all the values lack the field.
        if found.is_empty() && !self.allow_missing {
            return Err(format!("{name} is not found"));
        }
        Ok(found)
    }

    fn filtered<'a>(
        &mut self,
        input: &PathValues<'a>,
        filter: &Filter,
    ) -> Result<PathValues<'a>, String> {
        let mut passed = Vec::new();
        for value in input {
            // Filters apply only to lists, because the values of a map have no order.
            if !value.is_array() {
                return Err(format!(
                    "{} is not array or slice and cannot be filtered",
                    GoValue(value)
                ));
            }
            for item in children(value) {
                if self.passes(&item, filter)? {
                    passed.push(item);
                }
            }
        }
        Ok(passed)
    }

    fn passes(&mut self, item: &PathValue<'_>, filter: &Filter) -> Result<bool, String> {
        let left = self.walk_all(vec![item.clone()], &filter.left);
        let Some((operator, right)) = &filter.right else {
            // A filter without an operator tests for existence; an error counts as "missing".
            return Ok(left.is_ok_and(|found| !found.is_empty()));
        };
        let Some(left) = only_one(left?)? else {
            return Ok(false);
        };
        let right = self.walk_all(vec![item.clone()], right)?;
        match only_one(right)? {
            Some(right) => compare::holds(&left, operator, &right),
            None => Ok(false),
        }
    }
}

fn only_one(mut found: PathValues<'_>) -> Result<Option<PathValue<'_>>, String> {
    // Comparing several values would be ambiguous: it could mean any or all.
    if found.len() > 1 {
        return Err("can only compare one element at a time".to_owned());
    }
    Ok(found.pop())
}

/// Returns the member of a map.
fn member<'a>(value: &PathValue<'a>, name: &str) -> Option<PathValue<'a>> {
    match value {
        Cow::Borrowed(value) => value.as_object()?.get(name).map(Cow::Borrowed),
        Cow::Owned(value) => value.as_object()?.get(name).cloned().map(Cow::Owned),
    }
}

/// Returns the values of a map sorted by key, the items of a list, or the bytes of a string.
fn children<'a>(value: &PathValue<'a>) -> PathValues<'a> {
    fn parts(value: &Value) -> Vec<&Value> {
        match value {
            Value::Object(map) => map.values().collect(),
            Value::Array(items) => items.iter().collect(),
            _ => Vec::new(),
        }
    }
    match value {
        // Go's reflection treats a string as bytes.
        Cow::Borrowed(Value::String(text)) => bytes(text),
        Cow::Owned(Value::String(text)) => bytes(text),
        Cow::Borrowed(value) => parts(value).into_iter().map(Cow::Borrowed).collect(),
        Cow::Owned(value) => parts(value).into_iter().cloned().map(Cow::Owned).collect(),
    }
}

fn bytes<'a>(text: &str) -> PathValues<'a> {
    text.bytes()
        .map(|byte| Cow::Owned(Value::from(byte)))
        .collect()
}

/// Returns all maps and lists at any depth, parents first.
fn descendants(input: PathValues<'_>) -> PathValues<'_> {
    let mut all = Vec::new();
    for value in input {
        let parts = children(&value);
        if !parts.is_empty() {
            // Leaves are not included, because `..` selects values that have children.
            all.push(value);
            all.extend(descendants(parts));
        }
    }
    all
}

fn sliced<'a>(input: &PathValues<'a>, slice: Slice) -> Result<PathValues<'a>, String> {
    let mut all = Vec::new();
    // Null has no items and is skipped.
    for value in input.iter().filter(|value| !value.is_null()) {
        if !value.is_array() {
            return Err(format!("{} is not array or slice", type_name(value)));
        }
        let items = children(value);
        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
        // As in client-go, the bounds are computed before the step is checked.
        let Some((from, to)) = bounds(slice, length)? else {
            // As in kubectl, an empty slice ends the search, even if other lists would have results.
            return Ok(all);
        };
        let step = match slice.step {
            Some(step) if step <= 0 => return Err("step must be > 0".to_owned()),
            step => usize::try_from(step.unwrap_or(1)).unwrap_or(usize::MAX),
        };
        all.extend(items.into_iter().take(to).skip(from).step_by(step));
    }
    Ok(all)
}

/// Returns the bounds of a slice of a list, or `None` if it selects no item.
fn bounds(slice: Slice, length: i64) -> Result<Option<(usize, usize)>, String> {
    let out_of_bounds = |index: i64| {
        Err(format!(
            "array index out of bounds: index {index}, length {length}"
        ))
    };
    let from = slice.from.unwrap_or(0);
    let from = if from < 0 {
        from.saturating_add(length)
    } else {
        from
    };
    let to = slice.to.unwrap_or(length);
    // For `[-1]`, the last item, the end is 0, which also counts from the end.
    let from_the_end = to < 0 || (to == 0 && slice.single);
    let to = if from_the_end {
        to.saturating_add(length)
    } else {
        to
    };
    if from == to {
        return Ok(None);
    }
    if from >= length || from < 0 {
        return out_of_bounds(from);
    }
    if to > length || to < 0 {
        return out_of_bounds(to.saturating_sub(1));
    }
    if from > to {
        return Err(format!(
            "starting index {from} is greater than ending index {to}"
        ));
    }
    let whole = |index: i64| usize::try_from(index).unwrap_or(0);
    Ok(Some((whole(from), whole(to))))
}
