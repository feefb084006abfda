/// Diagrams of workflows: terms become blocks, blocks become shapes, shapes become SVG.
package dev.damask.drawing;
