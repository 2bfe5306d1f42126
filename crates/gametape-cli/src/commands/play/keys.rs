//! What the keys of a player do: one row each, for the player and for its help.

use gametape_scene::stage::Action;
use gametape_wire::View;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Act(Action),
    AskTime,
    AskSearch,
    Help,
    Quit,
}

/// A command, its keys, and how the help explains it.
pub(super) struct Binding {
    command: Command,
    keys: &'static [(KeyModifiers, KeyCode)],
    pub(super) name: &'static str,
    pub(super) help: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const CONTROL: KeyModifiers = KeyModifiers::CONTROL;

/// Rows without a name are explained by the row before.
pub(super) const BINDINGS: [Binding; 31] = {
    use Action::{
        CatchUp, CloseAll, Enter, Faster, First, Last, Move, NextView, PlayOrPause, PreviousView,
        SearchAgain, ShowChange, Step, SwitchFocus, SwitchInspecting, SwitchList, SwitchMain,
    };
    use Command::{Act, AskSearch, AskTime, Help, Quit};
    use KeyCode::{BackTab, Char, Down, End, Esc, Home, Left, PageDown, PageUp, Right, Tab, Up};
    const fn row(
        command: Command,
        keys: &'static [(KeyModifiers, KeyCode)],
        name: &'static str,
        help: &'static str,
    ) -> Binding {
        Binding { command, keys, name, help }
    }
    [
        row(Act(Step(-1)), &[(NONE, Left)], "Left Right", "one change back, forward"),
        row(Act(Step(1)), &[(NONE, Right)], "", ""),
        row(
            Act(Step(-10)),
            &[(SHIFT, Left), (NONE, PageUp)],
            "Shift+arrow, PgUp PgDn",
            "ten changes",
        ),
        row(Act(Step(10)), &[(SHIFT, Right), (NONE, PageDown)], "", ""),
        row(Act(Step(-100)), &[(CONTROL, Left), (CONTROL, Up)], "Ctrl+arrow", "a hundred changes"),
        row(Act(Step(100)), &[(CONTROL, Right), (CONTROL, Down)], "", ""),
        row(
            Act(First),
            &[(NONE, Home)],
            "Home End, L",
            "first moment, last moment, catch up (watch)",
        ),
        row(Act(Last), &[(NONE, End)], "", ""),
        row(Act(CatchUp), &[(NONE, Char('L'))], "", ""),
        row(Act(PlayOrPause), &[(NONE, Char(' '))], "Space", "play, pause"),
        row(Act(Faster(1)), &[(NONE, Char('+')), (NONE, Char('='))], "+ -", "faster, slower"),
        row(Act(Faster(-1)), &[(NONE, Char('-')), (NONE, Char('_'))], "", ""),
        row(AskTime, &[(NONE, Char('g')), (NONE, Char('t'))], "g", "go to a time, tick or turn"),
        row(AskSearch, &[(NONE, Char('/'))], "/ n", "search, next match"),
        row(Act(SearchAgain), &[(NONE, Char('n'))], "", ""),
        row(Help, &[(NONE, Char('?')), (NONE, KeyCode::F(1))], "?", "this help"),
        row(Quit, &[(NONE, Char('q')), (NONE, Esc), (CONTROL, Char('c'))], "q, Esc", "quit"),
        row(
            Act(NextView),
            &[(NONE, Char('v'))],
            "v V, 0 to 9",
            "next view, previous view, view with a number",
        ),
        row(Act(PreviousView), &[(NONE, Char('V'))], "", ""),
        row(
            Act(Move(-1, 0)),
            &[(NONE, Up), (NONE, Char('k'))],
            "Up Down, h j k l",
            "scroll the board, select a line",
        ),
        row(Act(Move(1, 0)), &[(NONE, Down), (NONE, Char('j'))], "", ""),
        row(Act(Move(0, -1)), &[(NONE, Char('h'))], "", ""),
        row(Act(Move(0, 1)), &[(NONE, Char('l'))], "", ""),
        row(
            Act(SwitchInspecting),
            &[(NONE, Char('i'))],
            "i",
            "inspect tiles: Up Down and h j k l move the pointer",
        ),
        row(
            Act(ShowChange),
            &[(NONE, Char('c'))],
            "c",
            "scroll to what changed, show the next change in the tree",
        ),
        row(Act(SwitchMain), &[(NONE, Char('m'))], "m", "board or tree (gamelogs)"),
        row(
            Act(SwitchList),
            &[(NONE, Char('d'))],
            "d",
            "what happened in words or as messages, disassembled (MineWars)",
        ),
        row(
            Act(Enter),
            &[(NONE, KeyCode::Enter)],
            "Enter, x",
            "open or close a branch, follow a reference; close all",
        ),
        row(Act(CloseAll), &[(NONE, Char('x'))], "", ""),
        row(
            Act(SwitchFocus),
            &[(NONE, Tab)],
            "Tab",
            "from the main part to the list beside it and back",
        ),
        row(Act(SwitchFocus), &[(NONE, BackTab), (SHIFT, BackTab)], "", ""),
    ]
};

/// What a key asks for; nothing if it has no meaning.
pub(super) fn command(key: KeyEvent) -> Option<Command> {
    let modifiers = match key.code {
        KeyCode::Char(digit @ '0'..='9') if !key.modifiers.contains(CONTROL) => {
            return View::new(digit as u8 - b'0').map(|view| Command::Act(Action::View(view)));
        }
        // Which letter it is says all about Shift.
        KeyCode::Char(_) => key.modifiers & CONTROL,
        _ => key.modifiers & (CONTROL | SHIFT),
    };
    let row = BINDINGS.iter().find(|row| row.keys.contains(&(modifiers, key.code)))?;
    Some(row.command)
}
