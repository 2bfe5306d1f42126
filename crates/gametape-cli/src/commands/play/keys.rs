//! What the keys of a player do: one row each, for the player and for its help.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key asks of the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Moments at which something changes: forward, or back below zero.
    Step(i64),
    First,
    Last,
    PlayOrPause,
    /// That many times twice as fast.
    Faster(i32),
    AskTime,
    AskSearch,
    SearchOn,
    Help,
    Quit,
}

/// An action, its keys, and how the help explains it.
pub(super) struct Binding {
    action: Action,
    keys: &'static [(KeyModifiers, KeyCode)],
    pub(super) name: &'static str,
    pub(super) help: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const CONTROL: KeyModifiers = KeyModifiers::CONTROL;

/// Rows without a name are explained by the row before.
pub(super) const BINDINGS: [Binding; 16] = {
    use Action::{
        AskSearch, AskTime, Faster, First, Help, Last, PlayOrPause, Quit, SearchOn, Step,
    };
    use KeyCode::{Char, Down, End, Esc, Home, Left, PageDown, PageUp, Right, Up};
    const fn row(
        action: Action,
        keys: &'static [(KeyModifiers, KeyCode)],
        name: &'static str,
        help: &'static str,
    ) -> Binding {
        Binding { action, keys, name, help }
    }
    [
        row(Step(-1), &[(NONE, Left)], "Left Right", "one change back, forward"),
        row(Step(1), &[(NONE, Right)], "", ""),
        row(Step(-10), &[(SHIFT, Left), (NONE, PageUp)], "Shift+arrow, PgUp PgDn", "ten changes"),
        row(Step(10), &[(SHIFT, Right), (NONE, PageDown)], "", ""),
        row(Step(-100), &[(CONTROL, Left), (CONTROL, Up)], "Ctrl+arrow", "a hundred changes"),
        row(Step(100), &[(CONTROL, Right), (CONTROL, Down)], "", ""),
        row(First, &[(NONE, Home)], "Home End", "first moment, last moment"),
        row(Last, &[(NONE, End)], "", ""),
        row(PlayOrPause, &[(NONE, Char(' '))], "Space", "play, pause"),
        row(Faster(1), &[(NONE, Char('+')), (NONE, Char('='))], "+ -", "faster, slower"),
        row(Faster(-1), &[(NONE, Char('-')), (NONE, Char('_'))], "", ""),
        row(AskTime, &[(NONE, Char('g')), (NONE, Char('t'))], "g", "go to a time, tick or turn"),
        row(AskSearch, &[(NONE, Char('/'))], "/ n", "search, search on"),
        row(SearchOn, &[(NONE, Char('n'))], "", ""),
        row(Help, &[(NONE, Char('?')), (NONE, KeyCode::F(1))], "?", "this help"),
        row(Quit, &[(NONE, Char('q')), (NONE, Esc), (CONTROL, Char('c'))], "q, Esc", "quit"),
    ]
};

/// What a key asks for; nothing if it means nothing to every player.
pub(super) fn action(key: KeyEvent) -> Option<Action> {
    let modifiers = match key.code {
        // Which letter it is says all about Shift.
        KeyCode::Char(_) => key.modifiers & CONTROL,
        _ => key.modifiers & (CONTROL | SHIFT),
    };
    let row = BINDINGS.iter().find(|row| row.keys.contains(&(modifiers, key.code)))?;
    Some(row.action)
}
