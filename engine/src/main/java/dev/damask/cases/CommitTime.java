package dev.damask.cases;

import dev.damask.history.Trimming;

/// When and by whom a commit is made.
///
/// @param epoch of the engine
/// @param trimming decides which old revisions go
record CommitTime(long epoch, long millis, Trimming trimming) {}
