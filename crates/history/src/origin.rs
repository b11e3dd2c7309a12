//! The kinds of authors; three of them begin a chain of causes.

/// The writer of clock commits.
const CLOCK: &str = "clock";

/// The writer of imported files.
const HAND_EDIT: &str = "hand-edit";

/// The kind of a commit's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A command, or a program that writes without being triggered.
    Person,
    /// A file that was saved, added or removed by hand.
    File,
    /// A virtual clock that moved to the next due time.
    Clock,
    /// A controller that reacted to a change.
    Controller,
}

impl Origin {
    /// Returns the origin of a commit, by its writer and its trigger.
    pub fn from_writer(writer: &str, is_triggered: bool) -> Self {
        match writer {
            HAND_EDIT => Self::File,
            CLOCK => Self::Clock,
            // Only the runtime stores triggers, and it stores one with every write.
            _ if is_triggered => Self::Controller,
            _ => Self::Person,
        }
    }

    /// Returns true if it is the start of a chain of causes.
    pub fn is_first(self) -> bool {
        self != Self::Controller
    }

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::File => "file",
            Self::Clock => "clock",
            Self::Controller => "controller",
        }
    }

    /// Returns the author for a sentence or a column: `you` for a command line, whose words follow.
    pub fn author(self, writer: &str) -> &str {
        match self {
            Self::Person if is_command_line(writer) => "you",
            _ => writer,
        }
    }

    /// Returns the reason of a commit for a sentence or a column: a command line, or the rule.
    pub(crate) fn reason<'a>(self, writer: &'a str, rule: &'a str) -> &'a str {
        match self {
            // The rule of a command is only its verb, so the command line is more useful. A program's name is not.
            Self::Person if is_command_line(writer) => writer,
            _ => rule,
        }
    }
}

/// Returns true if a writer is a command line, not the name of a program that uses the library.
fn is_command_line(writer: &str) -> bool {
    // Names of controllers and of programs contain no space.
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
