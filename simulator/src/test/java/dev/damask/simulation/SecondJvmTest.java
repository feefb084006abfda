package dev.damask.simulation;
