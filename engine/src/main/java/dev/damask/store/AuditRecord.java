package dev.damask.store;

/// An entry of the audit log and its place in it.
///
/// @param cursor the entries after this one follow it
public record AuditRecord(String cursor, AuditEntry entry) {}
