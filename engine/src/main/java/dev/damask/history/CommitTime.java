package dev.damask.history;

/// When and by whom a commit is made.
///
/// @param epoch of the engine
/// @param trimming decides which old revisions go
/// @param journal what is kept of the inputs
public record CommitTime(long epoch, long millis, Trimming trimming, JournalMode journal) {}
