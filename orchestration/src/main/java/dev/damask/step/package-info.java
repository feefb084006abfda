/// The evaluation of one step, and the translation of a graph into a workflow.
package dev.damask.step;
