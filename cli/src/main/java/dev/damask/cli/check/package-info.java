/// Commands on documents that start no case of an engine: `check`, `test`, `compile` and `draw`.
package dev.damask.cli.check;
