/// Rule documents: reading, checking, compiling and the cost of their evaluation.
package dev.damask.rule;
