package dev.damask.store;

import dev.damask.program.ProgramHash;
import dev.damask.value.Bytes;

/// A program that cases are pinned to.
///
/// @param source the document it came from; empty when it was written in Java
public record StoredProgram(ProgramHash hash, String name, Bytes source) {}
