//! Sorting that takes little code where code is loaded over a network.

use std::cmp::Ordering;

/// Sorts slices; what is equal stays in its order.
///
/// Everywhere but in a browser this is the sorting of the standard library. That is several kilobytes for each type that is
/// sorted, and the viewer's module sorts dozens: there it is one algorithm for all of them, which sorts indexes instead.
pub trait Arrange<T> {
    /// Sorts by a comparison.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key.
    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts by the order of the elements.
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(Ord::cmp);
    }
}

impl<T> Arrange<T> for [T] {
    #[cfg(not(target_arch = "wasm32"))]
    #[inline]
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering) {
        self.sort_by(compare);
    }

    #[cfg(target_arch = "wasm32")]
    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = order(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        if let Some(mut order) = order {
            put_in_order(&mut order, &mut |a, b| self.swap(a, b));
        }
    }
}

/// The index of the element that comes to each index: merging runs that are twice as long each time. None where the order is right, as
/// mostly.
#[cfg(any(test, target_arch = "wasm32"))]
fn order(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Option<Vec<usize>> {
    if (1..length).all(|at| compare(at - 1, at) != Ordering::Greater) {
        return None;
    }
    let mut from: Vec<usize> = (0..length).collect();
    let mut to = Vec::with_capacity(length);
    let mut run = 1;
    while run < length {
        for start in (0..length).step_by(2 * run) {
            let (middle, end) = ((start + run).min(length), (start + 2 * run).min(length));
            let (mut a, mut b) = (start, middle);
            while a < middle || b < end {
                // Of equals the first comes first.
                let is_first =
                    b >= end || a < middle && compare(from[b], from[a]) != Ordering::Less;
                let next = if is_first { &mut a } else { &mut b };
                to.push(from[*next]);
                *next += 1;
            }
        }
        std::mem::swap(&mut from, &mut to);
        to.clear();
        run *= 2;
    }
    Some(from)
}

/// Swaps elements until each is where it belongs.
#[cfg(any(test, target_arch = "wasm32"))]
fn put_in_order(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let next = std::mem::replace(&mut order[at], at);
            if next == start || next == at {
                break;
            }
            swap(at, next);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_the_same_order_and_keep_that_of_equals() {
        let mut random = 7u32;
        for length in (0..40).chain([255, 256, 257, 1000]) {
            let mut items: Vec<(u32, usize)> = Vec::new();
            for index in 0..length {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                items.push((random >> 16 & 15, index));
            }
            let mut wanted = items.clone();
            wanted.arrange_by_key(|item| item.0);
            if let Some(mut order) = order(length, &mut |a, b| items[a].0.cmp(&items[b].0)) {
                put_in_order(&mut order, &mut |a, b| items.swap(a, b));
            }
            assert!(order(length, &mut |a, b| items[a].0.cmp(&items[b].0)).is_none());
            assert_eq!(items, wanted);
            assert!(items.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
