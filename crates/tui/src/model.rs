//! The panels of the screen.
//!
//! Must not know: keys or widgets.

/// A panel of the screen.
///
/// ```
/// use ctl_tui::Panel;
///
/// assert_eq!(Panel::Events.title(), "Events");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Panel {
    /// The owner tree.
    #[default]
    Tree,
    /// One bar per rollout.
    Rollouts,
    /// The nodes and their Pods.
    Nodes,
    /// The events, the newest first.
    Events,
    /// The reconciles that are due, and those that wait for a point in time.
    Queue,
    /// The chain of causes of the selected object.
    Why,
}

impl Panel {
    /// All panels, ordered by their number keys.
    pub const ALL: [Self; 6] = [
        Self::Tree,
        Self::Rollouts,
        Self::Nodes,
        Self::Events,
        Self::Queue,
        Self::Why,
    ];

    /// Returns the title of the panel.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Tree => "Tree",
            Self::Rollouts => "Rollouts",
            Self::Nodes => "Nodes",
            Self::Events => "Events",
            Self::Queue => "Queue",
            Self::Why => "Why",
        }
    }

    pub(crate) fn place(self) -> usize {
        Self::ALL.iter().position(|own| *own == self).unwrap_or(0)
    }
}
