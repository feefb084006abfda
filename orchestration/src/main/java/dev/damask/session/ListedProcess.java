package dev.damask.session;

/// A process among those of several sessions.
///
/// @param graph the id of the graph its session runs
/// @param graphHash what its session is pinned to
public record ListedProcess(
    SessionKey session, String graph, String graphHash, ProcessInstance process) {}
