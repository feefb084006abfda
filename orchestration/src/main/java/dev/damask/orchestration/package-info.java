/// Graphs of steps, the rules of the steps, and the sessions in which they run.
package dev.damask.orchestration;
