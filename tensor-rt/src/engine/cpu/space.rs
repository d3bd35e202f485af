//! Spaces: index boxes, cut into blocks.
//!
//! A space has sizes, outermost first, and a *tile*: the box that one block covers. Blocks are numbered row-major over the
//! tiles, and a block at the border covers less. In a *standard* tiling the tile covers some trailing dimensions wholly,
//! one dimension in even chunks, and one point of each dimension before; then a block is a run of consecutive points.
//!
//! Invariant: the blocks of a space partition it; a tile has no zero, and no dimension of a space is empty.

use smallvec::SmallVec;

/// One number per dimension.
pub(super) type Sizes = SmallVec<[usize; 6]>;

/// A box of indices, cut into blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    /// Elements along each dimension.
    pub sizes: Sizes,
    /// Elements of a block along each dimension.
    pub tile: Sizes,
    /// Blocks along each dimension.
    counts: Sizes,
    /// Number of blocks.
    pub blocks: usize,
}

impl Space {
    /// A space with the given tile.
    pub fn new(sizes: Sizes, tile: Sizes) -> Self {
        debug_assert!(sizes.iter().chain(&tile).all(|&size| size > 0));
        let counts: Sizes = sizes.iter().zip(&tile).map(|(size, tile)| size.div_ceil(*tile)).collect();
        let blocks = counts.iter().product();
        Self { sizes, tile, counts, blocks }
    }

    /// A space in a standard tiling with at most `most` points in a block.
    pub fn standard(sizes: Sizes, most: usize) -> Self {
        let mut tile: Sizes = SmallVec::from_elem(1, sizes.len());
        let mut room = most.max(1);
        for (size, tile) in sizes.iter().zip(&mut tile).rev() {
            if *size <= room {
                *tile = *size;
                room /= size;
            } else {
                // Even chunks, so that the last one is not a sliver.
                *tile = size.div_ceil(size.div_ceil(room));
                break;
            }
        }
        Self::new(sizes, tile)
    }

    /// First index and number of indices of a block along each dimension; true if the block is a whole tile.
    pub fn locate(&self, block: usize, start: &mut [usize], extent: &mut [usize]) -> bool {
        debug_assert!(block < self.blocks);
        let mut whole = true;
        let mut rest = block;
        for dim in (0..self.sizes.len()).rev() {
            let count = self.counts[dim];
            let at = if count == 1 {
                0
            } else if rest < count {
                // The common case of the outermost dimension saves a division.
                std::mem::take(&mut rest)
            } else {
                let at = rest % count;
                rest /= count;
                at
            };
            start[dim] = at * self.tile[dim];
            extent[dim] = self.tile[dim].min(self.sizes[dim] - start[dim]);
            whole &= extent[dim] == self.tile[dim];
        }
        whole
    }
}

/// How far an index is from the first one. Outside of its array a stream may move by anything.
pub(super) fn distance(index: &[usize], strides: &[isize]) -> isize {
    let steps = index.iter().zip(strides).map(|(&index, &stride)| (index as isize).wrapping_mul(stride));
    steps.fold(0, isize::wrapping_add)
}

/// The row-major position of an index.
pub(super) fn linear(sizes: &[usize], index: &[usize]) -> usize {
    sizes.iter().zip(index).fold(0, |position, (size, index)| position * size + index)
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    fn covered(space: &Space) -> Vec<usize> {
        let rank = space.sizes.len();
        let mut seen = vec![0; space.sizes.iter().product()];
        let (mut start, mut extent) = (vec![0; rank], vec![0; rank]);
        for block in 0..space.blocks {
            space.locate(block, &mut start, &mut extent);
            for point in 0..extent.iter().product() {
                let (mut rest, mut index) = (point, start.clone());
                for dim in (0..rank).rev() {
                    index[dim] += rest % extent[dim];
                    rest /= extent[dim];
                }
                seen[linear(&space.sizes, &index)] += 1;
            }
        }
        seen
    }

    #[test]
    fn blocks_partition_the_space() {
        let cases: [(Sizes, usize); 6] = [
            (smallvec![], 8),
            (smallvec![1], 8),
            (smallvec![17], 8),
            (smallvec![5, 3], 8),
            (smallvec![3, 20, 2], 8),
            (smallvec![4, 9], 100),
        ];
        for (sizes, most) in cases {
            let space = Space::standard(sizes, most);
            assert!(covered(&space).iter().all(|&times| times == 1), "{space:?}");
            assert!(space.tile.iter().product::<usize>() <= most);
        }
        let tiled = Space::new(smallvec![2, 7, 9], smallvec![1, 4, 4]);
        assert!(covered(&tiled).iter().all(|&times| times == 1));
    }
}
