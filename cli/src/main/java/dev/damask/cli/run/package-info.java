/// Commands that execute documents: `run` and `replay`.
package dev.damask.cli.run;
