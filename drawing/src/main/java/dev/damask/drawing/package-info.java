/// Pictures of workflows: a term becomes blocks, blocks become shapes, shapes become SVG.
package dev.damask.drawing;
