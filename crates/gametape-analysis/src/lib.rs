//! Events of a match: one table, compact blocks, exports, statistics and highlights.
