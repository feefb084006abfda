/// What the commands share: output, exit codes, refusals, and the files and stores that they read.
package dev.damask.cli.command;
