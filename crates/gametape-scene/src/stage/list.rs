//! A list of which one line is selected and a part is seen.

/// Which line is selected, and which is the first that is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct List {
    /// The selected line.
    pub selected: usize,
    top: usize,
}

impl List {
    /// Moves the selection by a number of lines.
    pub fn move_by(&mut self, lines: isize, length: usize) {
        self.select(self.selected.saturating_add_signed(lines), length);
    }

    /// Selects a line, or the last if there are not as many.
    pub fn select(&mut self, line: usize, length: usize) {
        self.selected = line.min(length.saturating_sub(1));
    }

    /// The lines that are seen in `height` rows: the selected one is among them, and some around it.
    pub fn window(&mut self, height: usize, length: usize) -> std::ops::Range<usize> {
        self.select(self.selected, length);
        let around = height.saturating_sub(1) / 4;
        let least = (self.selected + around + 1).saturating_sub(height);
        let most = self.selected.saturating_sub(around).max(least);
        self.top = self.top.clamp(least, most).min(length.saturating_sub(height));
        self.top..(self.top + height).min(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_line_is_always_seen_and_no_room_is_wasted() {
        let mut list = List::default();
        assert_eq!(list.window(3, 10), 0..3);
        list.select(5, 10);
        assert_eq!(list.window(3, 10), 3..6);
        list.move_by(-2, 10);
        assert_eq!((list.selected, list.window(3, 10)), (3, 3..6));
        list.move_by(-1, 10);
        assert_eq!(list.window(3, 10), 2..5);
        list.select(99, 10);
        assert_eq!((list.selected, list.window(3, 10)), (9, 7..10));
        assert_eq!(list.window(20, 10), 0..10);
        assert_eq!((list.window(3, 2), list.selected), (0..2, 1));
        assert_eq!((list.window(3, 0), list.selected), (0..0, 0));
        for (height, length) in [(0, 0), (0, 5), (1, 0), (1, 1), (1, 5), (2, 5)] {
            list.select(3, length);
            let window = list.window(height, length);
            assert_eq!(window.len(), height.min(length));
            assert!(window.end <= length && (window.is_empty() || window.contains(&list.selected)));
        }
        list.select(50, 100);
        assert_eq!(list.window(21, 100), 35..56);
    }
}
