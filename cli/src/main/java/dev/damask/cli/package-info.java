/// The command `damask`: assembles the commands and reports their errors.
///
/// Imports point in one direction: `command` ← `cases` ← `sessions` ← `run`, and `command` ←
/// `check`. This package imports all of them, and none of them imports this package.
package dev.damask.cli;
