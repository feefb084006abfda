/// Graph documents: reading, writing and checking, alone and together with their rules.
package dev.damask.graph;
