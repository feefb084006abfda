package dev.damask.caller;

/// Where the state of a case was copied from.
///
/// @param caseId the case that was copied
/// @param position the position in its history
public record CaseOrigin(String caseId, long position) {}
