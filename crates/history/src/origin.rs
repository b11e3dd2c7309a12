//! The kinds of writers. A chain of causes starts with any of them except a controller.

/// The writer of commits that advance the clock.
const CLOCK: &str = "clock";

/// The writer of imported hand edits.
const HAND_EDIT: &str = "hand-edit";

/// The kind of a commit's writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A command, or a program that writes without a trigger.
    Person,
    /// A file that was saved, added or removed by hand.
    File,
    /// A virtual clock that advanced to the next due time.
    Clock,
    /// A controller that reacted to a change.
    Controller,
}

impl Origin {
    /// Returns the origin of a commit from its writer and its trigger.
    pub fn from_writer(writer: &str, is_triggered: bool) -> Self {
        match writer {
            HAND_EDIT => Self::File,
            CLOCK => Self::Clock,
            // Only the runtime stores triggers, and it stores one with each write.
            _ if is_triggered => Self::Controller,
            _ => Self::Person,
        }
    }

    /// Returns true if a chain of causes starts with this origin.
    pub fn is_first(self) -> bool {
        self != Self::Controller
    }

    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::File => "file",
            Self::Clock => "clock",
            Self::Controller => "controller",
        }
    }

    /// Returns the author for a sentence or column: `you` for a command line, which is shown after it.
    pub fn author(self, writer: &str) -> &str {
        match self {
            Self::Person if is_command_line(writer) => "you",
            _ => writer,
        }
    }

    /// Returns the reason for a commit, for a sentence or column: the command line or the rule.
    pub(crate) fn reason<'a>(self, writer: &'a str, rule: &'a str) -> &'a str {
        match self {
            // The rule of a command is only its verb, so the command line says more. The name of a program does not.
            Self::Person if is_command_line(writer) => writer,
            _ => rule,
        }
    }
}

/// Returns true if a writer is a command line rather than the name of a program that uses the library.
fn is_command_line(writer: &str) -> bool {
    // The names of controllers and programs contain no spaces.
    writer.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_follows_from_the_writer_and_the_trigger() {
        let author = |writer, triggered| {
            let origin = Origin::from_writer(writer, triggered);
            (origin, origin.author(writer).to_owned())
        };
        let expected = |origin, name: &str| (origin, name.to_owned());
        let command = "ctl create ns blue";
        assert_eq!(author(command, false), expected(Origin::Person, "you"));
        assert_eq!(author("bot", false), expected(Origin::Person, "bot"));
        assert_eq!(author("clock", false), expected(Origin::Clock, "clock"));
        assert_eq!(
            author("hand-edit", false),
            expected(Origin::File, "hand-edit")
        );
        let deployment = expected(Origin::Controller, "deployment");
        assert_eq!(author("deployment", true), deployment);
        assert!(!Origin::Controller.is_first() && Origin::Clock.is_first());
    }
}
